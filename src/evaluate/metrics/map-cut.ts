import { isRelevant, type ListMetric } from "./metric.js";
/**
 * map-cut@k = sum over i <= k of precision@i * relevant(r_i) / |relevant|: trec_eval's map_cut, which divides by all
 * relevant cells (rating >= 3), where ap@k divides by those found. So a list of k can stay below 1 where there are more
 * than k. 0 for an empty list, and for a query without a relevant cell. Ranks are those of the list: tied scores keep
 * the target's order.
 */
export const mapCut: ListMetric = {
  kind: "list",
  name: "map-cut",
  description: "Precision at the ranks of the relevant cells, over all relevant cells: trec_eval's map_cut.",
  better: "higher",
  cut: true,
  ceiling: "search",
  of: ({ ratings, ideal }, k) => {
    let found = 0;
    let sum = 0;
    for (const [at, rating] of ratings.slice(0, k).entries()) {
      if (!isRelevant(rating)) continue;
      found += 1;
      sum += found / (at + 1);
    }
    return ideal.length === 0 ? 0 : sum / ideal.length;
  },
};
