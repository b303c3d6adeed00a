import { dcg, gain, type ListMetric, UNRELATED } from "./metric.js";
/**
 * ndcg-published@k = DCG(list) / DCG(ideal list), gain 2^rating - 1 with unrelated cells (rating 1) at gain 1, discount
 * log2(i + 1). The ideal list is the k best relevant cells, filled up with unrelated ones. It is the only form that gives
 * the values of the paper's Table 2. An empty list scores 0, and so does a query without a relevant cell. Ranks are
 * those of the list: tied scores keep the target's order.
 */
export const ndcgPublished: ListMetric = {
  kind: "list",
  name: "ndcg-published",
  description: "Gain of the list over that of the ideal list, unrelated cells at gain 1: the paper's values.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal }, k) => {
    if (ideal.length === 0) return 0;
    const best = Array.from({ length: k }, (_, at) => gain(ideal[at] ?? UNRELATED));
    return dcg(ratings.slice(0, k).map(gain)) / dcg(best);
  },
};
