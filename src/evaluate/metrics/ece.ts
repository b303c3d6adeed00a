import { createCalibration } from "../statistics/calibration.js";
import { type CorpusMetric, isRelevant } from "./metric.js";
/**
 * ece = sum over ten equal-width bins of n_b / n * |share relevant_b - mean confidence_b|, over all returned cells with
 * a confidence. Relevant means rating >= 3. The bins are [0, .1), [.1, .2), ... [.9, 1]. Null if no cell has a
 * confidence.
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
