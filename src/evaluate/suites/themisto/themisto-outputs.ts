import { z } from "zod";
import { neededNames } from "../../../python/needed-names.js";
import { predictionShape } from "../../predictions/prediction-result.js";
import { type MeasuredSystem, type SystemMetric, systemFigure, systemTable } from "../../reports/describe-systems.js";
import type { Section } from "../../reports/description.js";
import { showCount } from "../../reports/html/format.js";
import { figuresSchema, intervalsSchema, publishedSchema } from "../../result-document.js";
import type { Target, TargetQuery } from "../../target.js";
import { chrF } from "../../text/chrf.js";
import { type PreparedText, prepareText } from "../../text/prepare.js";
import type { Step, StepCase } from "./themisto-cases.js";

/** Weight of equal variable values, relative to similar code. */
const SAME_VALUES = 0.5;

/**
 * Predicts the output of a step: that of the most similar earlier step of its kernel; ties go to the latest. With
 * `variables`, an earlier step is more similar the more of the names that both use had the same value.
 */
export function createOutputGuess(variables: boolean): (each: StepCase) => string {
  const prepared = new Map<string, PreparedText>();
  const prepare = (code: string) => {
    const known = prepared.get(code) ?? prepareText(code);
    prepared.set(code, known);
    return known;
  };
  return ({ step, earlier }) => {
    let best = { output: "", score: 0 };
    for (const [at, each] of earlier.entries()) {
      const alike = chrF(prepare(each.code).grams, prepare(step.code).grams);
      const score = alike + (variables ? SAME_VALUES * sameValues(step, each, earlier[at - 1], earlier.at(-1)) : 0);
      if (alike > 0 && score >= best.score) best = { output: each.output, score };
    }
    return best.output;
  };
}

/** The variables before a step are those after the previous step. */
function sameValues(step: Step, other: Step, beforeOther: Step | undefined, beforeStep: Step | undefined): number {
  const needed = [...neededNames(step.code)].filter((name) => neededNames(other.code).has(name));
  if (needed.length === 0) return 0;
  const shownValue = (from: Step | undefined, name: string) => from?.runtime_variables[name]?.value;
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
  /** The predicted outputs of steps, without and with the runtime variables. */
  output: z.strictObject({
    cases: z.int(),
    nearest: measuredSchema,
    withVariables: measuredSchema,
    published: z.array(publishedSchema),
  }),
});

export type ThemistoResult = z.infer<typeof themistoResultSchema>;

const TITLES: Readonly<Record<string, string>> = { em: "exact match", "rouge-l": "ROUGE-L", chrf: "chrF" };

/** The second task: the output of a step, predicted without the target. */
export function outputSection({ cases, nearest, withVariables, published }: ThemistoResult["output"]): Section {
  const systems: MeasuredSystem[] = [
    { name: "nearest", all: nearest, withoutCopies: null },
    { name: "with variables", all: withVariables, withoutCopies: null },
  ];
  const metrics = Object.keys(nearest.metrics).map((name): SystemMetric => ({ name, better: "higher" }));
  return {
    id: "outputs",
    title: "The output",
    note: `The outputs of ${showCount(cases, "step")}, predicted from the most similar earlier step.`,
    blocks: [
      ...metrics.map(({ name }) =>
        systemFigure(systems, name, {
          title: `Outputs, ${TITLES[name] ?? name}`,
          caption: "The target is not used.",
          published,
          valueName: "value",
        }),
      ),
      { ...systemTable(systems, metrics, { published }), name: "outputs" },
    ],
  };
}

/** How many results are re-ranked to choose k. */
const WIDER = 5;
const MOST = 100;

/**
 * Uses the runtime variables for a target that does not take them: asks for more results, and ranks those first whose
 * names exist in the running kernel. Ties keep the target's order.
 */
export function preferKnownNames(target: Target): Target {
  return {
    ...target,
    name: `${target.name}, known names first`,
    takesVariables: true,
    async recommend(query: TargetQuery) {
      const known = query.context?.variables ?? {};
      const wide = { ...query, k: Math.min(MOST, query.k * WIDER) };
      const answer = await target.recommend({ ...wide, context: withoutVariables(query) });
      const ranked = answer.hits
        .map((hit, rank) => ({ hit, rank, share: knownShare(hit.code, known) }))
        .sort((a, b) => b.share - a.share || a.rank - b.rank);
      return { ...answer, hits: ranked.slice(0, query.k).map(({ hit }) => hit) };
    },
  };
}

/** The share of the names that a cell needs and that exist; 1 for a cell that needs none. */
export function knownShare(code: string, known: Readonly<Record<string, unknown>>): number {
  const needed = [...neededNames(code)];
  return needed.length === 0 ? 1 : needed.filter((name) => Object.hasOwn(known, name)).length / needed.length;
}

function withoutVariables({ context }: TargetQuery): NonNullable<TargetQuery["context"]> {
  return { before: context?.before ?? [], markdown: context?.markdown ?? "" };
}
