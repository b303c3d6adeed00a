import { isRelevant, type ListMetric } from "./metric.js";
/**
 * precision@k = |TP| / k, TP being the relevant cells (rating >= 3) among the first k. The denominator stays k for a
 * shorter list; an empty list scores 0. Order within the k, and so ties, do not matter.
 */
export const precision: ListMetric = {
  kind: "list",
  name: "precision",
  description: "Share of the k ranks with a relevant cell.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings }, k) => ratings.slice(0, k).filter(isRelevant).length / k,
};
