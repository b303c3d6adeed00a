import { dot } from "../../embed/embedder.js";
import type { ListMetric } from "./metric.js";

/**
 * diversity@k = 1 - mean cosine over the pairs of the first k cells. Relevance does not matter. A list of one cell, or
 * an empty one, has no pairs and scores 0. Null if the cells have no vectors.
 */
export const diversity: ListMetric = {
  kind: "list",
  name: "diversity",
  description: "How different the returned cells are: 1 - mean cosine in the list.",
  better: "higher",
  cut: true,
  ceiling: null,
  of: ({ ratings, cosines }, k) => {
    const cells = Math.min(k, ratings.length);
    if (cells < 2) return 0;
    if (cosines === undefined) return null;
    const pairs = cosines.slice(0, (cells * (cells - 1)) / 2);
    return 1 - pairs.reduce((sum, cosine) => sum + cosine, 0) / pairs.length;
  },
};

/** The cosines of all pairs of unit vectors, in the order that the metric reads; 0 for a cell without a vector. */
export function pairCosines(vectors: readonly (Float32Array | null)[]): number[] {
  const cosines: number[] = [];
  for (let second = 1; second < vectors.length; second += 1) {
    for (let first = 0; first < second; first += 1) cosines.push(dot(vectors[first], vectors[second]));
  }
  return cosines;
}
