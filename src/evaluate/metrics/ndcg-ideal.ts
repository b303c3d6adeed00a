import { dcg, gain, isRelevant, type ListMetric } from "./metric.js";
/**
 * ndcg-ideal@k = DCG(list) / DCG(ideal list), gain 2^rating - 1 of relevant cells (rating >= 3) and 0 of others,
 * discount log2(i + 1); the ideal list is the k best relevant cells. The one to decide by. An empty list scores 0, and
 * so does a query without a relevant cell. Ranks are those of the list: tied scores keep the target's order.
 */
export const ndcgIdeal: ListMetric = {
  kind: "list",
  name: "ndcg-ideal",
  description: "Gain of the list over that of the ideal list, unrelated cells at gain 0: the one to decide by.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal }, k) => {
    if (ideal.length === 0) return 0;
    const gains = ratings.slice(0, k).map((rating) => (isRelevant(rating) ? gain(rating) : 0));
    return dcg(gains) / dcg(ideal.slice(0, k).map(gain));
  },
};
