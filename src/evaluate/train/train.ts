import { createHash } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import { FEATURES } from "../../recommend/features/feature-table.js";
import { type CollectDeps, collectList } from "../../recommend/fit/collect-list.js";
import { fitConfidence, fitWeights } from "../../recommend/fit/fit-weights.js";
import type { RerankModel } from "../../recommend/rerank-model.js";
import { type Boost, createBoost } from "../../recommend/trees.js";
import type { TypingInput } from "../suites/typing/typing-cases.js";
import { chooseHits, compareWeights, type GateResult } from "./gate.js";
import { type JudgedList, judgeList } from "./judge.js";

export interface TrainOptions extends CollectDeps {
  /** What is in use. */
  readonly model: RerankModel;
  readonly cases: readonly TypingInput[];
  /** Ids of the stored notebooks that are the one of this name: its own cells teach nothing. */
  readonly ownIds: (notebook: string) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface TrainResult extends GateResult {
  readonly cases: number;
  readonly notebooks: number;
  /** With the new weights and confidence of mode `complete`. */
  readonly model: RerankModel;
}

const FOLDS = 5;
/** Fewer tell more of chance than of anybody's way to work. */
const LEAST_NOTEBOOKS = 20;
const LEAST_CASES = 30;
/** Hits of a list that the confidence learns from, and what makes one useful. */
const SHOWN = 6;
const USEFUL = 0.5;

const NAMES = FEATURES.map(({ name }) => name);
// What stands behind cells like the last one is looked up only where nothing is typed yet, and is 0 here.
const SIGNS = FEATURES.map(({ sign }) => sign);

/**
 * Refits the weights and the confidence of mode `complete` to cells that somebody really wrote, starting from the model in use, and
 * tells by cross-validation over notebooks whether that wins. Null where it was interrupted.
 */
export async function train(options: TrainOptions): Promise<TrainResult | null> {
  const { model, signal } = options;
  const lists = await collectLists(options);
  if (signal.aborted) return null;
  const notebooks = new Set(lists.map(({ notebook }) => notebook)).size;
  if (lists.length < LEAST_CASES || notebooks < LEAST_NOTEBOOKS) {
    throw new RecommenderError(
      "INPUT_INVALID",
      `${lists.length} half-typed cells of ${notebooks} notebooks are too few to learn from; at least ${LEAST_CASES} of ${LEAST_NOTEBOOKS} are needed.`,
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
  const gate = compareWeights(lists, start, (list) => folds[foldOf(list)]!, boost);
  const weights = fitWeights(lists, start, SIGNS);
  return { ...gate, cases: lists.length, notebooks, model: renew(model, weights, lists, folds, boost) };
}

async function collectLists(options: TrainOptions): Promise<JudgedList[]> {
  const { cases, ownIds, signal, onProgress } = options;
  const lists: JudgedList[] = [];
  for (const [at, each] of cases.entries()) {
    if (signal.aborted) break;
    const context = { before: each.preceding, markdown: each.markdown };
    const without = await ownIds(each.notebook);
    const cells = await collectList(options, { code: each.prefix, context, without });
    if (cells.length > 0) lists.push(judgeList(each, cells));
    onProgress(at + 1, cases.length);
  }
  return lists;
}

/** The confidence learns from hits of weights that did not see their list: those that did are too sure. */
function renew(
  model: RerankModel,
  weights: Float64Array,
  lists: readonly JudgedList[],
  folds: readonly Float64Array[],
  boost: Boost | null,
) {
  const hits = lists.flatMap((list) =>
    list.callF1 === null
      ? []
      : chooseHits(list, folds[foldOf(list)]!, boost, SHOWN).map((at) => ({
          row: list.rows[at]!,
          useful: list.callF1![at]! >= USEFUL,
        })),
  );
  const confidence = model.confidence.map((part) => {
    if (part.kind !== "complete") return part;
    const fitted = fitConfidence(hits, { bias: part.bias, weights: toRow(part.weights) }, SIGNS);
    return { ...part, bias: fitted.bias, weights: toRecord(fitted.weights) };
  });
  return { ...model, weights: { ...model.weights, complete: toRecord(weights) }, confidence };
}

function foldOf({ notebook }: JudgedList): number {
  return createHash("sha256").update(notebook).digest()[0]! % FOLDS;
}

function toRow(weights: Readonly<Record<string, number>>): Float64Array {
  return Float64Array.from(NAMES, (name) => weights[name] ?? 0);
}

function toRecord(weights: Float64Array): Record<string, number> {
  return Object.fromEntries(NAMES.flatMap((name, at) => (weights[at] === 0 ? [] : [[name, weights[at]!]])));
}
