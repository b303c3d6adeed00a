import type { CorpusMetric } from "./metric.js";

/**
 * coverage@k = distinct cells among the first k of any query / cells in the index. Relevance plays no part; empty lists
 * add nothing, and a run of only such scores 0. Which of two tied cells is among the k is the target's choice. Null for
 * an empty index.
 */
export const coverage: CorpusMetric = {
  kind: "corpus",
  name: "coverage",
  description: "Share of the index that was ever returned.",
  better: "higher",
  cut: true,
  of: ({ indexSize, answers }, k) => {
    if (indexSize === 0) return null;
    const returned = new Set<string>();
    for (const { results } of answers) for (const { id } of results.slice(0, k)) returned.add(id);
    return returned.size / indexSize;
  },
};
