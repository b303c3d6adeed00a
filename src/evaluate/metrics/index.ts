import { RecommenderError } from "../../errors.js";
import { ap, mapCut } from "./ap.js";
import { apiPrecision, apiRecall } from "./api-calls.js";
import { bleu, bleuCanonical, sentenceBleuCanonical } from "./bleu.js";
import { callF1, callRecall } from "./calls.js";
import { chrf, chrfAdapted, chrfClean, insertChrf } from "./chrf.js";
import { codebleu, codebleuPublished } from "./codebleu.js";
import { coverage } from "./coverage.js";
import { diversity } from "./diversity.js";
import { ece } from "./ece.js";
import { em, emCanonical } from "./em.js";
import { firstLine } from "./first-line.js";
import { hitRate } from "./hit-rate.js";
import { length } from "./length.js";
import type { CorpusMetric, ListMetric, Metric, PooledMetric, ShownMetric, TextMetric } from "./metric.js";
import { mrr } from "./mrr.js";
import { ndcg, ndcgIdeal, ndcgPublished } from "./ndcg.js";
import { outputEm, outputEmPublished } from "./output-em.js";
import { f1, precision, recall } from "./precision-recall.js";
import { rougeL } from "./rouge-l.js";
import { undefinedNames } from "./undefined-names.js";
import { silent, useful } from "./useful.js";

/** The metrics of suites that ask for ranked cells, in the order they are reported. */
export const RANKING_METRICS: readonly (ListMetric | CorpusMetric)[] = [
  precision,
  recall,
  f1,
  ap,
  mapCut,
  ndcgIdeal,
  ndcgPublished,
  ndcg,
  mrr,
  hitRate,
  diversity,
  coverage,
  ece,
];

/** The default metrics. `map-cut` is only measured on request: it is almost equal to `ap`. */
export const DEFAULT_RANKING_METRICS = RANKING_METRICS.filter((metric) => metric !== mapCut);

/** Metrics that compare one recommended text with what was really typed, in the order of the report. */
export const TEXT_METRICS: readonly TextMetric[] = [
  chrf,
  callRecall,
  callF1,
  length,
  chrfAdapted,
  insertChrf,
  firstLine,
  undefinedNames,
];

/** Metrics of the hits that are shown at the default minimum confidence. */
export const SHOWN_METRICS: readonly ShownMetric[] = [useful, silent];

/** Metrics that compare a predicted cell, or its output, with the real one. */
export const PREDICTION_METRICS: readonly (TextMetric | PooledMetric)[] = [
  bleu,
  bleuCanonical,
  sentenceBleuCanonical,
  emCanonical,
  codebleu,
  codebleuPublished,
  em,
  rougeL,
  chrfClean,
  apiPrecision,
  apiRecall,
  outputEm,
  outputEmPublished,
];

export const METRICS: readonly Metric[] = [
  ...RANKING_METRICS,
  ...TEXT_METRICS,
  ...SHOWN_METRICS,
  ...PREDICTION_METRICS,
];

/** A requested metric: `precision@3` is `precision` over the first 3 cells. */
export interface AskedMetric<M extends Metric = Metric> {
  /** The printed name, such as `precision@3` or `ece`. */
  readonly name: string;
  readonly metric: M;
  /** Number of cells of a list that count; Infinity if the name has no `@k`. */
  readonly k: number;
}

/**
 * Reads `precision@3`, or `precision` if the run's k is given; INPUT_INVALID for anything else.
 * @example parseMetric("precision@3").metric.name // "precision"
 */
export function parseMetric<M extends Metric>(text: string, options: ParseOptions<M> = {}): AskedMetric<M> {
  const known = (options.among ?? METRICS) as readonly M[];
  const [, name, cut] = /^([a-z][a-z0-9-]*)(?:@([1-9]\d{0,3}))?$/.exec(text.trim()) ?? [];
  const metric = known.find((one) => one.name === name);
  if (metric === undefined) throw invalid(`Unknown metric "${text}"; known metrics: ${known.map(pattern).join(", ")}`);
  if (!metric.cut) {
    if (cut !== undefined) throw invalid(`"${text}": ${metric.name} has no k, write "${metric.name}"`);
    return { name: metric.name, metric, k: Number.POSITIVE_INFINITY };
  }
  const k = cut === undefined ? options.k : Number(cut);
  if (k === undefined) throw invalid(`"${text}" needs a k, as in "${text}@3"`);
  if (options.k !== undefined && k > options.k) {
    throw invalid(`"${text}" looks at ${k} cells, but --k is ${options.k}`);
  }
  return { name: `${metric.name}@${k}`, metric, k };
}

interface ParseOptions<M extends Metric> {
  /** The run's k, which is the default and the maximum of `@k`. */
  readonly k?: number;
  readonly among?: readonly M[];
}

export const betterOf = (metric: string): "higher" | "lower" => parseMetric(metric).metric.better;

/** The displayed name of a metric; pass `better` for a metric outside the list. */
export const markLower = (metric: string, better: "higher" | "lower" = betterOf(metric)): string =>
  better === "lower" ? `${metric} (lower is better)` : metric;

/** All metrics at the run's k. */
export function allMetrics<M extends Metric>(metrics: readonly M[], k: number): AskedMetric<M>[] {
  return metrics.map((metric) => parseMetric(metric.name, { k, among: metrics }));
}

const pattern = (metric: Metric): string => (metric.cut ? `${metric.name}@k` : metric.name);

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
