import { chrfClean } from "../../metrics/chrf.js";
import { em } from "../../metrics/em.js";
import type { TextMetric } from "../../metrics/metric.js";
import { rougeL } from "../../metrics/rouge-l.js";
import type { Scored } from "../../predictions/prediction-run.js";
import { createScorer, type Measure, measuresOf } from "../../predictions/prediction-score.js";
import type { TargetHit } from "../../target.js";
import { cleanAnswer } from "../../targets/model/model-target.js";
import { chrF } from "../../text/character-grams.js";

/** Themisto's chrF, of the whole texts including comments. The metrics of `eval typing` leave out comment lines. */
const chrfOfAll: TextMetric = {
  ...chrfClean,
  name: "chrf",
  description: "Character n-gram F-score of the prediction, comments included.",
  of: (result, { reference }) => chrF(result.allGrams, reference.allGrams),
};

/** Whether both texts are exactly equal. */
const exact: TextMetric = { ...em, of: (result, { reference }) => (result.raw === reference.raw ? 1 : 0) };

const METRICS = [em, rougeL, chrfOfAll, chrfClean];
const RAW_METRICS = [exact, rougeL, chrfOfAll];
const rawName = (metric: string): string => `raw-${metric}`;

/** The figures after the paper's post-processing, then those of the unprocessed first answer. */
export const MEASURES: readonly Measure[] = [
  ...measuresOf(METRICS),
  ...RAW_METRICS.map(({ name, better }) => ({ name: rawName(name), better })),
];

/** Like `MEASURES`, without the best-of-k figures, for a task with one answer. */
export const OUTPUT_MEASURES: readonly Measure[] = MEASURES.filter(({ name }) => !name.startsWith("best-"));

/** Scores answers with and without post-processing: code fences, language tags, white space. */
export function createBothScorer(): (hits: readonly TargetHit[], reference: string) => Scored {
  const score = createScorer(METRICS);
  const scoreRaw = createScorer(RAW_METRICS);
  return (hits, reference) => {
    const { values, counts } = score(
      hits.map(({ code }) => cleanAnswer(code)),
      reference.trim(),
    );
    const [first] = hits;
    const raw = scoreRaw(first === undefined ? [] : [first.raw ?? first.code], reference).values;
    const rawValues = RAW_METRICS.map(({ name }) => [rawName(name), raw[name] ?? null]);
    return { values: { ...values, ...Object.fromEntries(rawValues) }, counts };
  };
}
