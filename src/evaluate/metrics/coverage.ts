import type { CorpusMetric } from "./metric.js";

/**
 * coverage@k = distinct cells among the first k of any query / cells in the index. Relevance does not matter. Empty
 * lists add nothing; if all are empty, the score is 0. Tied scores keep the target's order. Null for an empty index.
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
