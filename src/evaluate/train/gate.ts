import { dot } from "../../recommend/fit/fit-weights.js";
import { defaultDiversity } from "../../recommend/request.js";
import { diversify } from "../../recommend/select.js";
import type { Boost } from "../../recommend/trees.js";
import { bootstrapIntervals, type Interval } from "../statistics/bootstrap.js";
import { clusterValues } from "../statistics/clusters.js";
import { meansOf } from "../statistics/means.js";
import type { JudgedList } from "./judge.js";

/** What new weights must win by: those of the typing suite that tell of help. */
export const GATED = ["chrf", "call-f1", "insert-chrf"] as const;
const K = 3;
/** Hits that diversity chooses from, as in an answer. */
const CHOICE = 30;

export interface GateResult {
  /** Means with the weights that are in use and with the new ones, and the interval of their difference over notebooks. */
  readonly metrics: Readonly<
    Record<
      string,
      { readonly before: number | null; readonly after: number | null; readonly difference: Interval | null }
    >
  >;
  /** Whether something is better for sure and nothing is worse for sure. */
  readonly wins: boolean;
}

/**
 * Compares two ways to rank the same lists, case by case. `after` gives the weights that did not see this list; what trees add to
 * both is `boost`.
 */
export function compareWeights(
  lists: readonly JudgedList[],
  before: Float64Array,
  after: (list: JudgedList) => Float64Array,
  boost: Boost | null = null,
): GateResult {
  const rows = lists.map((list) => {
    const [old, own] = [scoreList(list, before, boost), scoreList(list, after(list), boost)];
    return { id: list.notebook, old, own, values: own.map((value, at) => (value === null ? null : value - old[at]!)) };
  });
  const intervals = bootstrapIntervals(clusterValues(rows));
  const [olds, owns] = [["old", "own"] as const].flatMap((sides) =>
    sides.map((side) =>
      meansOf(
        GATED,
        rows.map((row) => ({ values: row[side] })),
      ),
    ),
  );
  const metrics = Object.fromEntries(
    GATED.map((name, at) => [
      name,
      { before: olds![name] ?? null, after: owns![name] ?? null, difference: intervals[at] ?? null },
    ]),
  );
  const found = intervals.flatMap((interval) => (interval === null ? [] : [interval]));
  const wins = found.some(([low]) => low > 0) && found.every(([, high]) => high >= 0);
  return { metrics, wins };
}

/** The hits that would be shown, best first, as indexes into the list. */
export function chooseHits({ cells, rows }: JudgedList, weights: Float64Array, boost: Boost | null, k = K): number[] {
  const sums = Float64Array.from(rows, (row) => dot(row, weights));
  const scores = boost?.add(rows, sums) ?? sums;
  const scored = cells.map(({ id, vector }, at) => ({ id, vector, at, score: scores[at]! }));
  scored.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
  return diversify(scored.slice(0, CHOICE), k, defaultDiversity("complete")).map(({ at }) => at);
}

function scoreList(list: JudgedList, weights: Float64Array, boost: Boost | null): (number | null)[] {
  const hits = chooseHits(list, weights, boost);
  const best = (values: Float64Array) => Math.max(0, ...hits.map((at) => values[at]!));
  return [best(list.chrf), list.callF1 === null ? null : best(list.callF1), best(list.insertChrf)];
}
