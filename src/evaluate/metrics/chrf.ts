import { chrF } from "../text/chrf.js";
import type { TextMetric } from "./metric.js";

/**
 * chrf = F2 of the character 1- to 6-grams that the recommended cell shares with `rest`, white space removed, comment
 * lines dropped on both sides, 0..1: sacrebleu's sentence chrF / 100. The best of the k counts, 0 for an empty list.
 * There is no relevant set, and order, and so ties, do not matter.
 */
export const chrf: TextMetric = {
  kind: "text",
  name: "chrf",
  description: "Character n-gram F-score of the best result against what was typed next.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { rest }) => chrF(result.grams, rest.grams),
};
