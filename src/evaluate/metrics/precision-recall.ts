import { type ListMetric, relevantRatings } from "./metric.js";
/**
 * precision@k = |TP| / k. TP are the relevant cells (rating >= 3) among the first k. The denominator is k for shorter
 * lists, too, so an empty list scores 0.
 */
export const precision: ListMetric = {
  kind: "list",
  name: "precision",
  description: "Share of the k ranks with a relevant cell.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: (list, k) => relevantRatings(list, k).length / k,
};

/**
 * recall@k = |TP| / |relevant|. TP are the relevant cells (rating >= 3) among the first k. Relevant are the distinct
 * cells of all mutants of the query's seed. A query without a relevant cell scores 0.
 */
export const recall: ListMetric = {
  kind: "list",
  name: "recall",
  description: "Share of the relevant cells that are among the first k.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: (list, k) => (list.ideal.length === 0 ? 0 : relevantRatings(list, k).length / list.ideal.length),
};

/** f1@k = 2PR / (P + R) of precision@k and recall@k of the same query, which equals 2|TP| / (k + |relevant|). */
export const f1: ListMetric = {
  kind: "list",
  name: "f1",
  description: "Harmonic mean of precision and recall.",
  better: "higher",
  cut: true,
  ceiling: "additive",
  of: (list, k) => (2 * relevantRatings(list, k).length) / (k + list.ideal.length),
};
