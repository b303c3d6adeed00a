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
  of: ({ ratings }, k) => {
    let found = 0;
    let sum = 0;
    for (const [at, rating] of ratings.slice(0, k).entries()) {
      if (!isRelevant(rating)) continue;
      found += 1;
      sum += found / (at + 1);
    }
    return found === 0 ? 0 : sum / found;
  },
};
