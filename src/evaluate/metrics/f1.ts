import { isRelevant, type ListMetric } from "./metric.js";
/**
 * f1@k = 2PR / (P + R) of precision@k and recall@k of the same query, which is 2|TP| / (k + |relevant|); relevant means
 * rating >= 3. An empty list scores 0. Order within the k, and so ties, do not matter.
 */
export const f1: ListMetric = {
  kind: "list",
  name: "f1",
  description: "Harmonic mean of precision and recall.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal }, k) => (2 * ratings.slice(0, k).filter(isRelevant).length) / (k + ideal.length),
};
