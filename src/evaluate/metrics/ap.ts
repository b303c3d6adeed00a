import { isRelevant, type ListMetric } from "./metric.js";
/**
 * ap@k = sum over i <= k of precision@i * relevant(r_i) / |TP|: the paper's form, which divides by the relevant cells
 * found (rating >= 3 among the first k), not by all that there are. Without any, and for an empty list, 0. Ranks are
 * those of the list: tied scores keep the target's order.
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
 * map-cut@k = sum over i <= k of precision@i * relevant(r_i) / |relevant|: trec_eval's map_cut, which divides by all
 * relevant cells (rating >= 3), where ap@k divides by those found. So a list of k can stay below 1 if there are more
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
