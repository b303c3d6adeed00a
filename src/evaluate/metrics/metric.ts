import { type PreparedText, prepareText } from "../text/prepare.js";

/**
 * A query's answer as the metrics see it. The order is the target's: metrics never sort by score, so ties are already
 * broken by whoever made the list (celrec: the smaller id first).
 */
export interface RankedList {
  /** Ratings of the returned cells, best first; a repeated cell counts once, at its first rank. */
  readonly ratings: readonly number[];
  /** Ratings of all relevant cells of the query, best first: the ideal list, not cut at k. */
  readonly ideal: readonly number[];
  /** Cosines of the pairs of returned cells in the order (1,2), (1,3), (2,3), (1,4), ...; absent where nobody embedded them. */
  readonly cosines?: readonly number[] | undefined;
}

/** All answers of a run, for what is no mean over queries. */
export interface Corpus {
  /** Distinct cells in the index. */
  readonly indexSize: number;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly results: readonly { readonly id: string; readonly rating: number; readonly confidence?: number | null }[];
}

/** What a cell became: what was still to be typed, and the whole cell; where nothing was typed yet, both are the same. */
export interface TypedCase {
  readonly rest: PreparedText;
  readonly reference: PreparedText;
}

interface Named {
  /** As printed, without `@k`. */
  readonly name: string;
  readonly description: string;
  readonly better: "higher" | "lower";
}

/** Scores one list; null where there is nothing to measure with (no vectors), which leaves the query out of this mean. */
export interface ListMetric extends Named {
  readonly kind: "list";
  readonly cut: true;
  of(list: RankedList, k: number): number | null;
  /**
   * How the best list for several queries at once is found: `additive`, every cell adds its own share at its rank, so
   * the best cell at each rank is the best list; `search`, shares depend on each other; a number, known; null, no such thing.
   */
  readonly ceiling: "additive" | "search" | number | null;
}

/** Scores a whole run; null where nothing can be measured. `cut` says whether the printed name has an `@k`. */
export interface CorpusMetric extends Named {
  readonly kind: "corpus";
  readonly cut: boolean;
  of(corpus: Corpus, k: number): number | null;
}

/** Scores one recommended text; null leaves the case out of the mean. `combine` says how the k of a case become one. */
export interface TextMetric extends Named {
  readonly kind: "text";
  readonly cut: false;
  readonly combine: "best" | "mean";
  /** What of a hit it scores: its code, unless it says otherwise. */
  readonly reads?: "adapted" | "insert";
  of(result: PreparedText, target: TypedCase): number | null;
}

/**
 * Scores all cases together from counts that add up, such as BLEU: a mean over cases would be another figure. `counts`
 * has the same length for every case.
 */
export interface PooledMetric extends Named {
  readonly kind: "pooled";
  readonly cut: false;
  counts(result: PreparedText, target: TypedCase): readonly number[];
  /** The figure of the summed counts; also of their means, because only their proportions matter. */
  of(sums: readonly number[]): number | null;
  /** One case by itself: which of several results is the best. */
  single(counts: readonly number[]): number;
}

/** The hits of one typing case: the confidence of each, and which are useful; null where the rest has no calls. */
export interface JudgedHits {
  readonly confidences: readonly (number | null)[];
  readonly useful: readonly boolean[] | null;
}

/** Scores what is left of a list when hits below a confidence are not shown; null leaves the case out of the mean. */
export interface ShownMetric extends Named {
  readonly kind: "shown";
  readonly cut: boolean;
  of(hits: JudgedHits, minConfidence: number): number | null;
}

export type Metric = ListMetric | CorpusMetric | TextMetric | PooledMetric | ShownMetric;

/** The gain of a rating, 2^rating - 1: the exponential form of Burges et al. that the paper prints. */
export const gain = (rating: number): number => 2 ** rating - 1;

/** Discounted cumulative gain: the gain at rank i over log2(i + 1). */
export function dcg(gains: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < gains.length; at += 1) sum += gains[at]! / Math.log2(at + 2);
  return sum;
}

/** Ratings from here on count as relevant. */
export const RELEVANT_FROM = 3;
/** The rating of every cell that nobody asked for. */
export const UNRELATED = 1;

export const isRelevant = (rating: number): boolean => rating >= RELEVANT_FROM;

/** One value for the k results of a case: the best or the mean of them, 0 without any, null where the case does not count. */
export function scoreResults(metric: TextMetric, results: readonly PreparedText[], target: TypedCase): number | null {
  const values: number[] = [];
  // Whether a case counts depends on the case alone, so a case without results is asked about an empty one.
  for (const result of results.length === 0 ? [EMPTY] : results) {
    const value = metric.of(result, target);
    if (value === null) return null;
    values.push(value);
  }
  if (metric.combine === "best") return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const EMPTY = prepareText("");
