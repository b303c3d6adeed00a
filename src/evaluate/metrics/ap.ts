import { isRelevant, type ListMetric } from "./metric.js";
/**
 * ap@k = sum over i <= k of precision@i * relevant(r_i) / |TP|. As in the paper, it divides by the relevant cells found
 * (rating >= 3, among the first k) instead of all relevant cells. 0 if no relevant cell is found, and for an empty
 * list. Tied scores keep the target's order.
 */
export const ap: ListMetric = {
  kind: "list",
  name: "ap",
  description: "Mean precision at the ranks of the relevant cells that were found.",
  better: "higher",
  cut: true,
  ceiling: "search",
  of: ({ ratings, scale }, k) => {
    let found = 0;
    let sum = 0;
    for (const [at, rating] of ratings.slice(0, k).entries()) {
      if (!isRelevant(rating, scale)) continue;
      found += 1;
      sum += found / (at + 1);
    }
    return found === 0 ? 0 : sum / found;
  },
};

/**
 * map-cut@k = sum over i <= k of precision@i * relevant(r_i) / |relevant|: trec_eval's map_cut. It divides by all
 * relevant cells (rating >= 3), whereas ap@k divides by those found. If there are more than k relevant cells, even a
 * perfect list scores below 1. 0 for an empty list, and for a query without a relevant cell. Tied scores keep the
 * target's order.
 */
export const mapCut: ListMetric = {
  kind: "list",
  name: "map-cut",
  description: "Precision at the ranks of the relevant cells, over all relevant cells: trec_eval's map_cut.",
  better: "higher",
  cut: true,
  ceiling: "search",
  of: ({ ratings, ideal, scale }, k) => {
    let found = 0;
    let sum = 0;
    for (const [at, rating] of ratings.slice(0, k).entries()) {
      if (!isRelevant(rating, scale)) continue;
      found += 1;
      sum += found / (at + 1);
    }
    return ideal.length === 0 ? 0 : sum / ideal.length;
  },
};
