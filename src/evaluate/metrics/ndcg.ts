import { dcg, gain, type ListMetric } from "./metric.js";

/**
 * ndcg@k = DCG(list) / DCG(the same cells in their best order), gain 2^rating - 1, discount log2(i + 1): the paper's
 * printed formula. It knows no relevant set: every cell has its rating, unrelated ones 1, so a list without a single
 * hit is in its best order and scores 1. An empty list scores 0. Ranks are those of the list: tied scores keep the
 * target's order.
 */
export const ndcg: ListMetric = {
  kind: "list",
  name: "ndcg",
  description:
    "nDCG normalised by the returned list's own best order, as printed in the paper; a list without a hit scores 1.",
  better: "higher",
  cut: true,
  // A list of unrelated cells reaches it for any group of queries.
  ceiling: 1,
  of: ({ ratings }, k) => {
    const list = ratings.slice(0, k);
    if (list.length === 0) return 0;
    return dcg(list.map(gain)) / dcg(list.toSorted((a, b) => b - a).map(gain));
  },
};
