import type { CodeAbove } from "../text/name-check.js";
import { type PreparedText, prepareText } from "../text/prepare.js";

/**
 * The answer to a query. The order is the target's: metrics never sort by score, so the target breaks ties (celrec: the
 * smaller id first).
 */
export interface RankedList {
  /** Ratings of the returned cells, best first; a repeated cell counts once, at its first rank. */
  readonly ratings: readonly number[];
  /** Ratings of all relevant cells of the query, best first: the ideal list, not cut at k. */
  readonly ideal: readonly number[];
  /** The rating scale; the paper's by default. */
  readonly scale?: RatingScale | undefined;
  /** Cosines of the pairs of returned cells in the order (1,2), (1,3), (2,3), (1,4), ...; absent without an embedder. */
  readonly cosines?: readonly number[] | undefined;
}

/** All answers of a run, for metrics that are not a mean over queries. */
export interface Corpus {
  /** Distinct cells in the index. */
  readonly indexSize: number;
  readonly answers: readonly Answer[];
  /** The rating scale; the paper's by default. */
  readonly scale?: RatingScale | undefined;
}

interface Answer {
  readonly results: readonly { readonly id: string; readonly rating: number; readonly confidence?: number | null }[];
}

/** The rest of the cell that was still to be typed, and the whole cell; equal if nothing was typed yet. */
export interface TypedCase {
  readonly rest: PreparedText;
  readonly reference: PreparedText;
  /** Code above, which the insertion may use. Metrics that need it leave out cases without it. */
  readonly above?: CodeAbove;
}

interface Named {
  /** The printed name without `@k`. */
  readonly name: string;
  readonly description: string;
  readonly better: "higher" | "lower";
}

/** Scores one list. Null if it cannot be measured (no vectors); the query is then left out of the mean. */
export interface ListMetric extends Named {
  readonly kind: "list";
  readonly cut: true;
  of(list: RankedList, k: number): number | null;
  /**
   * How to compute the ceiling: the best score that a single list can reach for several queries. `additive`: cells
   * contribute independently, so the cells with the largest contributions are best. `search`: contributions depend on
   * each other. A number is a known ceiling. Null: there is no ceiling.
   */
  readonly ceiling: "additive" | "search" | number | null;
}

/** Scores a whole run; null if it cannot be measured. `cut`: whether the printed name has an `@k`. */
export interface CorpusMetric extends Named {
  readonly kind: "corpus";
  readonly cut: boolean;
  of(corpus: Corpus, k: number): number | null;
}

/**
 * Scores one recommended text; null leaves it out. A case with only null scores is left out. `combine` says how the k
 * scores of a case become one.
 */
export interface TextMetric extends Named {
  readonly kind: "text";
  readonly cut: false;
  readonly combine: "best" | "mean";
  /**
   * The text of a hit to score; by default its code. `placed` is the insertion, including a line break at its start.
   */
  readonly reads?: "adapted" | "insert" | "placed";
  of(result: PreparedText, target: TypedCase): number | null;
}

/**
 * Scores all cases together from summed counts, like corpus BLEU, which is not a mean over cases. `counts` has the same
 * length for every case.
 */
export interface PooledMetric extends Named {
  readonly kind: "pooled";
  readonly cut: false;
  counts(result: PreparedText, target: TypedCase): readonly number[];
  /** The score of the summed counts. Their means give the same score, because only proportions matter. */
  of(sums: readonly number[]): number | null;
  /** The score of one case, to choose the best of several results. */
  single(counts: readonly number[]): number;
}

/** The hits of one typing case: the confidence of each, and which are useful; null if the rest of the cell has no calls. */
export interface JudgedHits {
  readonly confidences: readonly (number | null)[];
  readonly useful: readonly boolean[] | null;
}

/** Scores a list without the hits below a confidence; null leaves the case out of the mean. */
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

/** The rating scale. */
export interface RatingScale {
  /** The lowest relevant rating: z in the paper. */
  readonly relevantFrom: number;
  /** The rating of an unrelated cell. */
  readonly unrelated: number;
}

export const PAPER_SCALE: RatingScale = { relevantFrom: 3, unrelated: 1 };

export const isRelevant = (rating: number, { relevantFrom }: RatingScale = PAPER_SCALE): boolean =>
  rating >= relevantFrom;

/** The relevant ratings among the first k. */
export const relevantRatings = ({ ratings, scale }: RankedList, k: number): number[] =>
  ratings.slice(0, k).filter((rating) => isRelevant(rating, scale));

/** Combines the scores of the k results: the best or the mean; null if none counts. */
export function scoreResults(metric: TextMetric, results: readonly PreparedText[], target: TypedCase): number | null {
  const values: number[] = [];
  // A case without results is scored as one empty result.
  for (const result of results.length === 0 ? [EMPTY] : results) {
    const value = metric.of(result, target);
    if (value !== null) values.push(value);
  }
  if (values.length === 0) return null;
  if (metric.combine === "best") return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const EMPTY = prepareText("");
