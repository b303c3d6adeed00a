import { type ListMetric, relevantRatings } from "./metric.js";
/** hit-rate@k = 1 if a relevant cell (rating >= 3) is among the first k, else 0. */
export const hitRate: ListMetric = {
  kind: "list",
  name: "hit-rate",
  description: "Share of the queries with at least one relevant cell.",
  better: "higher",
  cut: true,
  ceiling: "search",
  of: (list, k) => (relevantRatings(list, k).length > 0 ? 1 : 0),
};
