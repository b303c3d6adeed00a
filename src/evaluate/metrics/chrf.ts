import { chrF } from "../text/character-grams.js";
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

/**
 * chrf-adapted = chrf of the cell in the user's names, as the target gives it; of the code itself if it gives none. The
 * best of the k counts, 0 for an empty list.
 */
export const chrfAdapted: TextMetric = {
  ...chrf,
  name: "chrf-adapted",
  description: "chrF of the best result, after its variables were renamed to the user's.",
  reads: "adapted",
};

/**
 * chrf-clean = chrF of a predicted text against the real one, both without comment lines, 0..1. An empty prediction scores 0.
 * Themisto's own chrF keeps the comments.
 */
export const chrfClean: TextMetric = {
  kind: "text",
  name: "chrf-clean",
  description: "Character n-gram F-score of the prediction, without comment lines.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) => chrF(result.grams, reference.grams),
};

/**
 * insert-chrf = chrf of what would be inserted after the cursor, in the user's names; of the adapted or raw code if the
 * target gives no insertion. The best of the k counts, 0 for an empty list.
 */
export const insertChrf: TextMetric = {
  ...chrf,
  name: "insert-chrf",
  description: "chrF of what the best result would insert after the cursor.",
  reads: "insert",
};
