import { isRelevant, type ListMetric } from "./metric.js";
/**
 * recall@k = |TP| / |relevant|, TP being the relevant cells (rating >= 3) among the first k, and relevant the distinct
 * cells of all mutants of the query's seed. An empty list scores 0, and so does a query without a relevant cell. Order
 * within the k, and so ties, do not matter.
 */
export const recall: ListMetric = {
  kind: "list",
  name: "recall",
  description: "Share of the relevant cells that are among the first k.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: ({ ratings, ideal }, k) =>
    ideal.length === 0 ? 0 : ratings.slice(0, k).filter(isRelevant).length / ideal.length,
};
