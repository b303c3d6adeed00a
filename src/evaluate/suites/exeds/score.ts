import { bleu } from "../../metrics/bleu.js";
import { codebleu } from "../../metrics/codebleu.js";
import { em } from "../../metrics/em.js";
import { outputEm } from "../../metrics/output-em.js";
import type { Scored } from "../../predictions/run.js";
import { bestOf, type Measure, measuresOf } from "../../predictions/score.js";
import { createScorer } from "../../predictions/scorer.js";
import type { TargetHit } from "../../target.js";
import { prepareText } from "../../text/prepare.js";
import type { Execution } from "./execute.js";
import type { Problem } from "./problems.js";

const TEXT_METRICS = [bleu, codebleu, em];

/** Of the code as it is, then of its adapted form, which is the code itself where the target gives none. */
const KINDS = ["output-em", "ran", "adapted-output-em", "adapted-ran"] as const;
const EXECUTED: readonly Measure[] = [...KINDS, ...KINDS.map(bestOf)].map((name) => ({ name, better: "higher" }));

export const EXEDS_MEASURES: readonly Measure[] = [...EXECUTED, ...measuresOf(TEXT_METRICS)];

/** Scores the text of all results, and executes the first of them, raw and adapted. */
export function createExedsScorer(
  execute: (problem: Problem, code: string) => Promise<Execution>,
  executed: number,
): (problem: Problem, hits: readonly TargetHit[]) => Promise<Scored> {
  const score = createScorer(TEXT_METRICS);
  return async (problem, hits) => {
    const runs = await Promise.all(hits.slice(0, executed).map((hit) => runBoth(execute, problem, hit)));
    const [first = FAILED] = runs;
    const best = (kind: (typeof KINDS)[number]) => Math.max(0, ...runs.map(({ values }) => values[kind]));
    const { values, counts } = score(
      hits.map(({ code }) => code),
      problem.reference,
    );
    const bests = Object.fromEntries(KINDS.map((kind) => [bestOf(kind), best(kind)]));
    return { values: { ...first.values, ...bests, ...values }, counts, notes: first.notes };
  };
}

interface BothRuns {
  readonly values: Readonly<Record<(typeof KINDS)[number], number>>;
  readonly notes: { readonly raw: string; readonly adapted: string };
}

const FAILED: BothRuns = {
  values: { "output-em": 0, ran: 0, "adapted-output-em": 0, "adapted-ran": 0 },
  notes: { raw: "no prediction", adapted: "no prediction" },
};

async function runBoth(
  execute: (problem: Problem, code: string) => Promise<Execution>,
  problem: Problem,
  { code, adapted: changed = code }: TargetHit,
): Promise<BothRuns> {
  const [raw, adapted] = await Promise.all([execute(problem, code), execute(problem, changed)]);
  return {
    values: {
      "output-em": says(raw, problem),
      ran: raw.ended === "ok" ? 1 : 0,
      "adapted-output-em": says(adapted, problem),
      "adapted-ran": adapted.ended === "ok" ? 1 : 0,
    },
    notes: { raw: raw.ended, adapted: adapted.ended },
  };
}

function says({ output, ended }: Execution, problem: Problem): number {
  if (ended !== "ok") return 0;
  const reference = prepareText(problem.output);
  return outputEm.of(prepareText(output), { rest: reference, reference })!;
}
