import { isRelevant } from "../relevance.js";
import type { CorpusMetric } from "./metric.js";

const BINS = 10;

/**
 * ece = sum over ten equal-width bins of n_b / n * |share relevant_b - mean confidence_b|, over all returned cells that
 * carry a confidence; relevant means rating >= 3. Bins are [0, .1), [.1, .2), ... [.9, 1]. Empty lists add nothing; null
 * where no cell has a confidence. Order, and so ties, do not matter.
 */
export const ece: CorpusMetric = {
  kind: "corpus",
  name: "ece",
  description: "Expected calibration error: how far confidence is from the share of hits that are relevant.",
  better: "lower",
  cut: false,
  of: ({ answers }) => {
    const bins = Array.from({ length: BINS }, () => ({ hits: 0, relevant: 0, confidence: 0 }));
    let hits = 0;
    for (const { results } of answers) {
      for (const { rating, confidence } of results) {
        if (confidence === undefined || confidence === null) continue;
        const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
        hits += 1;
        bin.hits += 1;
        bin.confidence += confidence;
        if (isRelevant(rating)) bin.relevant += 1;
      }
    }
    if (hits === 0) return null;
    return bins.reduce((sum, bin) => sum + Math.abs(bin.relevant - bin.confidence), 0) / hits;
  },
};
