import { createHash } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import { FEATURES } from "../features/feature-table.js";
import { defaultDiversity } from "../request.js";
import type { RerankModel } from "../rerank-model.js";
import { diversify } from "../select.js";
import { type Boost, createBoost } from "../trees.js";
import { type CollectDeps, collectList, type ListedCell } from "./collect-list.js";
import { dot, type FittedList, fitConfidence, fitWeights } from "./fit-weights.js";

/** A half-typed cell made from a real one. */
interface TrainingCase {
  readonly notebook: string;
  readonly prefix: string;
  /** Code cells above, nearest last, and the Markdown above. */
  readonly preceding: readonly string[];
  readonly markdown: string;
}

/** One half-typed cell with its candidates. Each gain compares the insertion with the real rest of the cell. */
export interface ScoredList extends FittedList {
  readonly notebook: string;
  readonly cells: readonly ListedCell[];
  /** Whether each candidate is useful; null if that cannot be determined. */
  readonly useful: readonly boolean[] | null;
}

/** Scores candidates and compares rankings. The evaluation's typing suite implements it. */
export interface TrainingJudge<C extends TrainingCase, L extends ScoredList> {
  score(each: C, cells: readonly ListedCell[]): L;
  /**
   * Compares two rankings of the same lists, case by case. `after` gives, for each list, weights that were not fitted
   * on it.
   */
  compare(
    lists: readonly L[],
    before: Float64Array,
    after: (list: L) => Float64Array,
    boost: Boost | null,
  ): TrainingComparison;
}

export interface TrainingComparison {
  /**
   * Means with the current and the new weights, and the 95 % confidence interval of the difference, resampled by
   * notebook.
   */
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly before: number | null;
        readonly after: number | null;
        readonly difference: readonly [number, number] | null;
      }
    >
  >;
  /** Whether at least one metric is significantly better and none is significantly worse. */
  readonly wins: boolean;
}

interface TrainOptions<C extends TrainingCase, L extends ScoredList> extends CollectDeps {
  /** The current model, from which training starts. */
  readonly model: RerankModel;
  readonly cases: readonly C[];
  readonly judge: TrainingJudge<C, L>;
  /** Ids of the stored notebooks with this name, whose cells are left out. */
  readonly ownIds: (notebook: string) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface TrainResult extends TrainingComparison {
  readonly cases: number;
  readonly notebooks: number;
  /** The model with the new weights and confidence of mode `complete`. */
  readonly model: RerankModel;
}

const FOLDS = 5;
/** Minimum numbers of notebooks and cases. With fewer, the weights would fit noise. */
const MIN_NOTEBOOKS = 20;
const MIN_CASES = 30;
/** Number of hits of each list that the confidence is fitted on. */
const CONFIDENCE_HITS = 6;
/** Number of hits that the diversity step chooses from, as in an answer. */
const DIVERSITY_POOL = 30;

const NAMES = FEATURES.map(({ name }) => name);
// The feature `follows` is computed only for an empty cell, so here it is 0.
const SIGNS = FEATURES.map(({ sign }) => sign);

/**
 * Refits the weights and the confidence of mode `complete` to real cells, starting from the current model. Measures the
 * gain by cross-validation over notebooks. Null if interrupted.
 */
export async function train<C extends TrainingCase, L extends ScoredList>(
  options: TrainOptions<C, L>,
): Promise<TrainResult | null> {
  const { model, judge, signal } = options;
  const lists = await collectLists(options);
  if (signal.aborted) return null;
  const notebooks = new Set(lists.map(({ notebook }) => notebook)).size;
  if (lists.length < MIN_CASES || notebooks < MIN_NOTEBOOKS) {
    throw new RecommenderError(
      "INPUT_INVALID",
      `${lists.length} half-typed cells of ${notebooks} notebooks are too few to learn from; at least ${MIN_CASES} of ${MIN_NOTEBOOKS} are needed.`,
    );
  }
  const start = toRow(model.weights.complete);
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fitWeights(
      lists.filter((list) => foldOf(list) !== fold),
      start,
      SIGNS,
    ),
  );
  const boost = model.trees ? createBoost(model.trees, NAMES) : null;
  const comparison = judge.compare(lists, start, (list) => folds[foldOf(list)]!, boost);
  const weights = fitWeights(lists, start, SIGNS);
  return { ...comparison, cases: lists.length, notebooks, model: refitConfidence(model, weights, lists, folds, boost) };
}

async function collectLists<C extends TrainingCase, L extends ScoredList>(options: TrainOptions<C, L>): Promise<L[]> {
  const { cases, judge, ownIds, signal, onProgress } = options;
  const lists: L[] = [];
  for (const [at, each] of cases.entries()) {
    if (signal.aborted) break;
    const context = { before: each.preceding, markdown: each.markdown };
    const without = await ownIds(each.notebook);
    const cells = await collectList(options, { code: each.prefix, context, without });
    if (cells.length > 0) lists.push(judge.score(each, cells));
    onProgress(at + 1, cases.length);
  }
  return lists;
}

/**
 * Fits the confidence on hits ranked by weights that were not fitted on their list. Otherwise it would be
 * overconfident.
 */
function refitConfidence(
  model: RerankModel,
  weights: Float64Array,
  lists: readonly ScoredList[],
  folds: readonly Float64Array[],
  boost: Boost | null,
) {
  const hits = lists.flatMap((list) => {
    const { rows, useful } = list;
    if (useful === null) return [];
    const chosen = chooseHits(list, folds[foldOf(list)]!, boost, CONFIDENCE_HITS);
    return chosen.map((at) => ({ row: rows[at]!, useful: useful[at]! }));
  });
  const confidence = model.confidence.map((part) => {
    if (part.kind !== "complete") return part;
    const fitted = fitConfidence(hits, { bias: part.bias, weights: toRow(part.weights) }, SIGNS);
    return { ...part, bias: fitted.bias, weights: toRecord(fitted.weights) };
  });
  return { ...model, weights: { ...model.weights, complete: toRecord(weights) }, confidence };
}

/** Indexes of the hits that would be shown, best first. */
export function chooseHits(
  { cells, rows }: Pick<ScoredList, "cells" | "rows">,
  weights: Float64Array,
  boost: Boost | null,
  k: number,
): number[] {
  const sums = Float64Array.from(rows, (row) => dot(row, weights));
  const scores = boost?.add(rows, sums) ?? sums;
  const scored = cells.map(({ id, vector }, at) => ({ id, vector, at, score: scores[at]! }));
  scored.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
  return diversify(scored.slice(0, DIVERSITY_POOL), k, defaultDiversity("complete")).map(({ at }) => at);
}

function foldOf({ notebook }: ScoredList): number {
  return createHash("sha256").update(notebook).digest()[0]! % FOLDS;
}

function toRow(weights: Readonly<Record<string, number>>): Float64Array {
  return Float64Array.from(NAMES, (name) => weights[name] ?? 0);
}

function toRecord(weights: Float64Array): Record<string, number> {
  return Object.fromEntries(NAMES.flatMap((name, at) => (weights[at] === 0 ? [] : [[name, weights[at]!]])));
}
