import { createCalibration } from "../statistics/calibration.js";
import { type CorpusMetric, isRelevant } from "./metric.js";
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
  of: ({ answers, scale }) => {
    const calibration = createCalibration();
    for (const { results } of answers) {
      for (const { rating, confidence } of results) {
        if (confidence !== undefined && confidence !== null) calibration.add(confidence, isRelevant(rating, scale));
      }
    }
    return calibration.error();
  },
};
