import { z } from "zod";
import { bleu } from "../../metrics/bleu.js";
import { codebleu, codebleuPublished } from "../../metrics/codebleu.js";
import { em } from "../../metrics/em.js";
import { guessAnswerType, outputEm } from "../../metrics/output-em.js";
import { predictionShape } from "../../predictions/prediction-result.js";
import { MAX_TEXT, type Scored } from "../../predictions/prediction-run.js";
import {
  bestOf,
  createScorer,
  type Measure,
  measuresOf,
  scoreInsertion,
  UNDEFINED_NAMES,
} from "../../predictions/prediction-score.js";
import { judgePublishedOutput } from "../../published/exeds-output.js";
import { targetProblemsSchema } from "../../result-document.js";
import type { TargetHit } from "../../target.js";
import { prepareText } from "../../text/prepare.js";
import type { Execute, Execution } from "./exeds-execute.js";
import type { Problem } from "./exeds-problems.js";
import { outputNote, tablesSchema } from "./exeds-tables.js";

const TEXT_METRICS = [bleu, codebleu, codebleuPublished, em];

/**
 * Metrics of the raw code, of the adapted code (by default the raw code), and of the insertion into an empty cell (by
 * default the adapted code).
 */
const KINDS = [
  "output-em",
  "output-em-published",
  "ran",
  "adapted-output-em",
  "adapted-output-em-published",
  "adapted-ran",
  "inserted-output-em",
  "inserted-ran",
] as const;
type Kind = (typeof KINDS)[number];

/** The metrics of the suite. If only the first result is executed, those of the best result are left out. */
export function exedsMeasures(executed: number): readonly Measure[] {
  const names = executed === 1 ? KINDS : [...KINDS, ...KINDS.map(bestOf)];
  return [...names.map((name) => ({ name, better: "higher" }) as const), ...measuresOf(TEXT_METRICS), UNDEFINED_NAMES];
}

/** Scores the text of all results. Executes the first results in three forms: raw, adapted, and as inserted. */
export function createExedsScorer(
  execute: Execute,
  executed: number,
): (problem: Problem, hits: readonly TargetHit[]) => Promise<Scored> {
  const score = createScorer(TEXT_METRICS);
  return async (problem, hits) => {
    const runs = await Promise.all(hits.slice(0, executed).map((hit) => runAll(execute, problem, hit)));
    const [first = FAILED_RUNS] = runs;
    const best = (kind: Kind) => Math.max(0, ...runs.map(({ values }) => values[kind]));
    const { values, counts } = score(
      hits.map(({ code }) => code),
      problem.reference,
    );
    const bests = executed === 1 ? {} : Object.fromEntries(KINDS.map((kind) => [bestOf(kind), best(kind)]));
    const shown = { ...first.shown, "output of the real cell": problem.output.slice(0, MAX_SHOWN) };
    const insertion = scoreInsertion(hits[0], problem.before);
    return { values: { ...first.values, ...bests, ...values, ...insertion }, counts, notes: first.notes, shown };
  };
}

interface Runs {
  readonly values: Readonly<Record<Kind, number>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly shown: Readonly<Record<string, string>>;
}

/** Characters of an output in a report. */
const MAX_SHOWN = 1_000;

const FAILED_RUNS: Runs = {
  values: Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>,
  notes: { raw: "no prediction", adapted: "no prediction" },
  shown: {},
};

/** An empty insertion counts as no prediction, because an empty cell would run without error. */
const NO_PREDICTION: Execution = { ended: "no prediction", output: "" };

async function runAll(
  execute: Execute,
  problem: Problem,
  { code, adapted: changed = code, insert = changed }: TargetHit,
): Promise<Runs> {
  const [raw, adapted, inserted] = await Promise.all([
    execute(problem, code),
    execute(problem, changed),
    insert.trim() === "" ? NO_PREDICTION : execute(problem, insert),
  ]);
  const [isRight, isRightAdapted] = [isRightOutput(raw, problem), isRightOutput(adapted, problem)];
  return {
    values: {
      "output-em": isRight,
      "output-em-published": isRightAsPublished(raw, problem),
      ran: raw.ended === "ok" ? 1 : 0,
      "adapted-output-em": isRightAdapted,
      "adapted-output-em-published": isRightAsPublished(adapted, problem),
      "adapted-ran": adapted.ended === "ok" ? 1 : 0,
      "inserted-output-em": isRightOutput(inserted, problem),
      "inserted-ran": inserted.ended === "ok" ? 1 : 0,
    },
    notes: {
      raw: raw.ended,
      adapted: adapted.ended,
      ...(raw.ended === "ok" && { "raw output": outputNote(raw, isRight === 1, problem.output) }),
      ...(adapted.ended === "ok" && { "adapted output": outputNote(adapted, isRightAdapted === 1, problem.output) }),
    },
    shown: {
      "output of the first result": describeExecution(raw),
      ...(changed !== code && {
        "adapted to the names above": changed.slice(0, MAX_TEXT),
        "its output": describeExecution(adapted),
      }),
      ...(insert !== changed && {
        insertion: insert.slice(0, MAX_TEXT),
        "output of the insertion": describeExecution(inserted),
      }),
    },
  };
}

function describeExecution({ ended, output, message }: Execution): string {
  if (ended === "ok") return output.slice(0, MAX_SHOWN) || "(nothing)";
  return message === undefined ? ended : `${ended}: ${message}`.slice(0, MAX_SHOWN);
}

/**
 * 1 if the cell ran without error and its output equals that of the reference cell, or another accepted output; else 0.
 */
export function isRightOutput({ output, ended }: Execution, { output: own, answers = [own] }: Problem): number {
  if (ended !== "ok") return 0;
  const printed = prepareText(output);
  const scores = answers.map((answer) => {
    const reference = prepareText(answer);
    return outputEm.of(printed, { rest: reference, reference })!;
  });
  return Math.max(0, ...scores);
}

/** The verdict of ExeDS's own program. */
function isRightAsPublished({ output, first = output, ended }: Execution, problem: Problem): number {
  if (ended !== "ok") return 0;
  const { answers = [problem.output], answerType = guessAnswerType(problem.output) } = problem;
  return Number(judgePublishedOutput(first, answers, answerType).match);
}

/** Number of cases by outcome: `ok`, an exception or a limit. */
const endingsSchema = z.record(z.string(), z.int());

/** The result of `celrec eval exeds`. */
export const exedsResultSchema = z.strictObject({
  suite: z.literal("exeds"),
  ...predictionShape,
  counts: z.strictObject({ cases: z.int(), notebooks: z.int(), copies: z.int(), indexedCells: z.int() }),
  /** Numbers of cases by outcome, for the raw and for the adapted code. */
  endings: z.strictObject({ raw: endingsSchema, adapted: endingsSchema }),
  tables: tablesSchema,
  problems: z.strictObject({
    target: targetProblemsSchema,
    /** Parts of the sandbox that the machine did not allow. */
    notIsolated: z.array(z.string()),
  }),
});

export type ExedsResult = z.infer<typeof exedsResultSchema>;
