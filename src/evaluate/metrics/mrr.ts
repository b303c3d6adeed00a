import { isRelevant, type ListMetric } from "./metric.js";
/**
 * mrr@k = 1 / rank of the first relevant cell (rating >= 3) among the first k; 0 if there is none. Tied scores keep the
 * target's order.
 */
export const mrr: ListMetric = {
  kind: "list",
  name: "mrr",
  description: "Reciprocal rank of the first relevant cell.",
  better: "higher",
  cut: true,
  ceiling: "search",
  of: ({ ratings, scale }, k) => {
    const first = ratings.findIndex((rating) => isRelevant(rating, scale));
    return first === -1 || first >= k ? 0 : 1 / (first + 1);
  },
};
