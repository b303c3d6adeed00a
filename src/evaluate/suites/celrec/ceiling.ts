import { type ListMetric, PAPER_SCALE, type RatingScale } from "../../metrics/metric.js";
import { groupBy } from "../../statistics/bootstrap.js";

/** A query and its relevant cells. */
export interface CeilingQuery {
  /** Queries of one group are indistinguishable for a recommender, so they all get the same list. */
  readonly group: string;
  /** Ratings by relevant cell, best first. Queries of one seed share the map. */
  readonly relevant: ReadonlyMap<string, number>;
}

/** Maximum number of lists for an exhaustive search. */
const MAX_LISTS = 5_000;

/**
 * The mean of a metric if every group of queries got its best single list. Exact for a group of one seed (its ideal
 * list) and for additive metrics (the k cells with the largest contributions). For ap, mrr and hit-rate, all lists are
 * tried if there are few of them. Otherwise the search is greedy by rank. It is exact for mrr and hit-rate if the seeds
 * share no cell, and a lower bound in all other cases. Null for a metric without a best list.
 */
export function ceilingOf(
  metric: ListMetric,
  k: number,
  queries: readonly CeilingQuery[],
  scale: RatingScale = PAPER_SCALE,
): number | null {
  if (metric.ceiling === null || queries.length === 0) return null;
  if (typeof metric.ceiling === "number") return metric.ceiling;
  const scaled: ListMetric = { ...metric, of: (list, cut) => metric.of({ ...list, scale }, cut) };
  let sum = 0;
  for (const group of groupBy(queries, (query) => query.group).values())
    sum += bestSum(scaled, k, group, scale.unrelated);
  return sum / queries.length;
}

/** The queries of one seed in a group. They all get the same score. */
interface SeedQueries {
  readonly relevant: ReadonlyMap<string, number>;
  readonly ideal: readonly number[];
  readonly queries: number;
  /** The rating of cells that are not relevant. */
  readonly unrelated: number;
}

function bestSum(metric: ListMetric, k: number, group: readonly CeilingQuery[], unrelated: number): number {
  const askers = [...groupBy(group, (query) => query.relevant)].map(([relevant, queries]) => ({
    relevant,
    ideal: [...relevant.values()],
    queries: queries.length,
    unrelated,
  }));
  const [first] = askers;
  if (askers.length === 1) return sumOf(metric, k, askers, [...first!.relevant.keys()]);
  if (metric.ceiling === "additive") return sumOf(metric, k, askers, largestShares(metric, k, askers));
  const choices = choicesOf(askers);
  if ((choices.length + 1) ** k <= MAX_LISTS) return bestOfAllLists(metric, k, askers, choices, []);
  return sumOf(metric, k, askers, buildByRank(metric, k, choices));
}

interface Choice {
  readonly ids: readonly string[];
  readonly wanting: readonly SeedQueries[];
}

/** For each relevant cell, the indexes of the queries to which it is relevant. */
function cellsOf(askers: readonly SeedQueries[]): Map<string, number[]> {
  const wanted = new Map<string, number[]>();
  for (const [at, { relevant }] of askers.entries()) {
    for (const id of relevant.keys()) {
      const known = wanted.get(id);
      if (known === undefined) wanted.set(id, [at]);
      else known.push(at);
    }
  }
  return wanted;
}

/**
 * Metrics of kind `search` only use whether a cell is relevant, so cells relevant to the same queries are
 * interchangeable.
 */
function choicesOf(askers: readonly SeedQueries[]): Choice[] {
  return [...groupBy(cellsOf(askers), ([, wanting]) => wanting.join()).values()].map((cells) => ({
    ids: cells.map(([id]) => id),
    wanting: cells[0]![1].map((at) => askers[at]!),
  }));
}

function largestShares(metric: ListMetric, k: number, askers: readonly SeedQueries[]): string[] {
  const shares = [...cellsOf(askers)].map(([id, indexes]) => {
    const wanting = indexes.map((at) => askers[at]!);
    return { id, share: sumOf(metric, k, wanting, [id]) - sumOf(metric, k, wanting, []) };
  });
  return shares
    .sort((a, b) => b.share - a.share)
    .slice(0, k)
    .map(({ id }) => id);
}

/** The best sum of any list of k cells, by trying every combination of the choices. */
function bestOfAllLists(
  metric: ListMetric,
  k: number,
  askers: readonly SeedQueries[],
  choices: readonly Choice[],
  list: readonly string[],
): number {
  if (list.length === k) return sumOf(metric, k, askers, list);
  let best = bestOfAllLists(metric, k, askers, choices, [...list, ""]);
  for (const { ids } of choices) {
    const next = ids.find((id) => !list.includes(id));
    if (next !== undefined) best = Math.max(best, bestOfAllLists(metric, k, askers, choices, [...list, next]));
  }
  return best;
}

function buildByRank(metric: ListMetric, k: number, choices: readonly Choice[]): string[] {
  const list: string[] = [];
  while (list.length < k) {
    let best = { id: "", gain: 0 };
    for (const { ids, wanting } of choices) {
      const id = ids.find((one) => !list.includes(one));
      if (id === undefined) continue;
      // Queries to which the cell is irrelevant are skipped, because their score is the same for any irrelevant cell.
      const gain = sumOf(metric, k, wanting, [...list, id]) - sumOf(metric, k, wanting, list);
      if (gain > best.gain) best = { id, gain };
    }
    list.push(best.id);
  }
  return list;
}

/** The list's total score over the queries. The list is filled up to k with unrelated cells, whose id is "". */
function sumOf(metric: ListMetric, k: number, askers: readonly SeedQueries[], list: readonly string[]): number {
  let sum = 0;
  for (const { relevant, ideal, queries, unrelated } of askers) {
    const ratings = Array.from({ length: k }, (_, at) => relevant.get(list[at] ?? "") ?? unrelated);
    sum += queries * metric.of({ ratings, ideal }, k)!;
  }
  return sum;
}
