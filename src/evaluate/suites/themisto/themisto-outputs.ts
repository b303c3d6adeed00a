import { z } from "zod";
import { neededNames } from "../../../python/needed-names.js";
import { predictedCaseSchema, predictionShape } from "../../predictions/prediction-result.js";
import { type PredictionAnswer, type PredictionRun, runPredictions } from "../../predictions/prediction-run.js";
import { type MeasuredSystem, type SystemMetric, systemFigure, systemTable } from "../../reports/describe-systems.js";
import type { Section } from "../../reports/description.js";
import { showCount } from "../../reports/html/format.js";
import { figuresSchema, intervalsSchema, type Published, publishedSchema } from "../../result-document.js";
import {
  type ExecutedStep,
  RECOMMENDER,
  type Target,
  type TargetQuery,
  WITHOUT_VARIABLES,
  withoutVariables,
} from "../../target.js";
import { chrF } from "../../text/character-grams.js";
import { type PreparedText, prepareText } from "../../text/prepare.js";
import { type StepCase, toQuery } from "./themisto-cases.js";
import { createBothScorer, OUTPUT_MEASURES } from "./themisto-score.js";

/** Weight of equal variable values, relative to similar code. */
const SAME_VALUES = 0.5;

/**
 * A baseline that predicts the output of the most similar earlier step of the kernel; ties go to the latest. With
 * `variables`, shared names with equal values increase the similarity.
 */
export function createNearestOutput(variables: boolean): Target {
  const prepared = new Map<string, PreparedText>();
  const prepare = (code: string) => {
    const known = prepared.get(code) ?? prepareText(code);
    prepared.set(code, known);
    return known;
  };
  return {
    name: "nearest",
    settings: {},
    takesVariables: variables,
    prepare: async () => {},
    add: async () => {},
    async recommend({ code, trajectory }) {
      const start = performance.now();
      const earlier = trajectory?.steps ?? [];
      let best = { output: "", score: 0 };
      for (const [at, each] of earlier.entries()) {
        const alike = chrF(prepare(each.code).grams, prepare(code).grams);
        const score = alike + (variables ? SAME_VALUES * sameValues(code, each, earlier[at - 1], earlier.at(-1)) : 0);
        if (alike > 0 && score >= best.score) best = { output: each.output, score };
      }
      const hits = best.output === "" ? [] : [{ code: best.output, score: best.score, confidence: null }];
      return { hits, junk: 0, took: { total: performance.now() - start } };
    },
    close: async () => {},
  };
}

/** The variables before a step are those after the previous step. */
function sameValues(
  code: string,
  other: ExecutedStep,
  beforeOther: ExecutedStep | undefined,
  beforeStep: ExecutedStep | undefined,
): number {
  const needed = [...neededNames(code)].filter((name) => neededNames(other.code).has(name));
  if (needed.length === 0) return 0;
  const shownValue = (from: ExecutedStep | undefined, name: string) => from?.runtime_variables[name]?.value;
  const same = needed.filter((name) => {
    const now = shownValue(beforeStep, name);
    return now !== undefined && now === shownValue(beforeOther, name);
  });
  return same.length / needed.length;
}

const measuredSchema = z.strictObject({ metrics: figuresSchema, ci95: intervalsSchema });

/** The result of `celrec eval themisto`: the next cell, and the output of a cell. */
export const themistoResultSchema = z.strictObject({
  suite: z.literal("themisto"),
  ...predictionShape,
  counts: z.strictObject({ cases: z.int(), notebooks: z.int(), copies: z.int(), indexedCells: z.int() }),
  /** The predicted outputs of steps. */
  output: z.strictObject({
    cases: z.int(),
    /** Null if the target does not predict outputs. */
    target: measuredSchema.nullable(),
    baselines: z.record(z.string(), measuredSchema),
    published: z.array(publishedSchema),
    /** The predictions of the target; empty if it gives none. */
    predictions: z.array(predictedCaseSchema),
  }),
});

export type ThemistoResult = z.infer<typeof themistoResultSchema>;

type Bench = Pick<PredictionRun<StepCase>, "target" | "jobs" | "signal" | "onProgress" | "manifest" | "journal">;

/** The task of an entry in the journal of the run. */
const OUTPUT_TASK = "output";

/** The entries of a journal that belong to one task. */
export function journalOf(journal: Bench["journal"], task: typeof OUTPUT_TASK | null): Bench["journal"] {
  type Entry = PredictionAnswer & { readonly task?: string };
  return {
    ...journal,
    entries: journal.entries.filter((entry) => ((entry as Entry).task ?? null) === task),
    add: (entry) => journal.add(task === null ? entry : ({ ...entry, task } as Entry)),
  };
}

/** Asks the target for the outputs of steps, given the steps executed before. Null if interrupted. */
export async function predictOutputs(
  cases: readonly StepCase[],
  bench: Bench,
  published: readonly Published[],
): Promise<ThemistoResult["output"] | null> {
  if (cases.length === 0) return { cases: 0, target: null, baselines: {}, published: [...published], predictions: [] };
  const { target } = bench;
  const outputTarget = target.predictOutput && asOutputTarget(target, target.predictOutput);
  const hasVariables = cases.some(({ earlier }) => Object.keys(earlier.at(-1)?.runtime_variables ?? {}).length > 0);
  const baselines = new Map<string, Target>([
    ...(outputTarget && hasVariables && target.takesVariables
      ? [[WITHOUT_VARIABLES, withoutVariables(outputTarget)] as const]
      : []),
    ["nearest", createNearestOutput(false)],
    ...(hasVariables ? [["nearest, with variables", createNearestOutput(true)] as const] : []),
  ]);
  const score = createBothScorer();
  const result = await runPredictions({
    ...bench,
    journal: journalOf(bench.journal, OUTPUT_TASK),
    target: outputTarget ?? createNearestOutput(false),
    k: 1,
    cases,
    index: [],
    measures: OUTPUT_MEASURES,
    baselines,
    published,
    config: {},
    onProgress: (what, done, total) => bench.onProgress(what === "queries" ? "outputs" : what, done, total),
    toQuery: (each, k) => toQuery(each, k, each.step.code),
    score: ({ reference }, hits) => score(hits, reference),
  });
  if (result === null) return null;
  const { metrics, ci95 } = result;
  return {
    cases: cases.length,
    target: outputTarget === undefined ? null : { metrics, ci95 },
    baselines: Object.fromEntries(
      Object.entries(result.baselines).map(([name, system]) => [name, { metrics: system.metrics, ci95: system.ci95 }]),
    ),
    published: [...published],
    predictions: outputTarget === undefined ? [] : result.cases,
  };
}

/** Wraps a target so that `recommend` predicts outputs. Its index is already filled. */
function asOutputTarget(target: Target, recommend: NonNullable<Target["predictOutput"]>): Target {
  return { ...target, prepare: async () => {}, add: async () => {}, givesOne: true, recommend };
}

const TITLES: Readonly<Record<string, string>> = { em: "exact match", "rouge-l": "ROUGE-L", chrf: "chrF" };

/** The second task: the output of a step. */
export function outputSection({ cases, target, baselines, published }: ThemistoResult["output"], own: string): Section {
  const systems: MeasuredSystem[] = [
    ...(target === null ? [] : [{ name: own, all: target, withoutCopies: null }]),
    ...Object.entries(baselines).map(([name, all]) => ({
      name: name.startsWith(RECOMMENDER) ? name.replace(RECOMMENDER, own) : `baseline: ${name}`,
      all,
      withoutCopies: null,
    })),
  ];
  const metrics = OUTPUT_MEASURES.map(({ name, better }): SystemMetric => ({ name, better }));
  const silent = target === null ? " The target predicts no outputs; the baselines take that of a similar step." : "";
  return {
    id: "outputs",
    title: "The output",
    note: `The outputs of ${showCount(cases, "step")}, predicted from everything that was executed before.${silent}`,
    blocks: [
      ...Object.entries(TITLES).map(([name, title]) =>
        systemFigure(systems, name, {
          title: `Outputs, ${title}`,
          caption: "After the paper's post-processing.",
          published,
          valueName: "value",
        }),
      ),
      {
        ...systemTable(systems, metrics, {
          published,
          terminal: { layout: "rows", columns: ["em", "rouge-l", "chrf", "raw-em"] },
        }),
        name: "outputs",
      },
    ],
  };
}

/** Number of results that are re-ranked to choose k. */
const MORE_RESULTS = 5;
const MAX_RESULTS = 100;

/**
 * Uses the kernel's variables for a target that does not accept them: requests more results, and ranks results first
 * whose names exist in the kernel. Ties keep the target's order.
 */
export function preferKnownNames(target: Target): Target {
  return {
    ...target,
    name: `${target.name}, known names first`,
    takesVariables: true,
    async recommend(query: TargetQuery) {
      const known = query.context?.variables ?? {};
      const wide = { ...query, k: Math.min(MAX_RESULTS, query.k * MORE_RESULTS) };
      const answer = await target.recommend({ ...wide, context: bareContext(query) });
      const ranked = answer.hits
        .map((hit, rank) => ({ hit, rank, share: knownShare(hit.code, known) }))
        .sort((a, b) => b.share - a.share || a.rank - b.rank);
      return { ...answer, hits: ranked.slice(0, query.k).map(({ hit }) => hit) };
    },
  };
}

/** Share of the names used by a cell that exist; 1 for a cell that uses none. */
export function knownShare(code: string, known: Readonly<Record<string, unknown>>): number {
  const needed = [...neededNames(code)];
  return needed.length === 0 ? 1 : needed.filter((name) => Object.hasOwn(known, name)).length / needed.length;
}

function bareContext({ context }: TargetQuery): NonNullable<TargetQuery["context"]> {
  return { before: context?.before ?? [], markdown: context?.markdown ?? "" };
}
