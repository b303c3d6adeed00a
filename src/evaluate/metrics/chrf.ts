import { chrF } from "../text/character-grams.js";
import type { TextMetric } from "./metric.js";

/**
 * chrf = F2 of the character 1- to 6-grams that the recommended cell shares with `rest`, 0..1: sacrebleu's sentence
 * chrF / 100. White space is removed, and comment lines are dropped in both texts. The best of the k results counts; an
 * empty list scores 0.
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
 * chrf-adapted = chrf of the cell in the user's names. If the target gives no such code, its raw code is scored. The
 * best of the k results counts; an empty list scores 0.
 */
export const chrfAdapted: TextMetric = {
  ...chrf,
  name: "chrf-adapted",
  description: "chrF of the best result, after its variables were renamed to the user's.",
  reads: "adapted",
};

/**
 * chrf-clean = chrF of the predicted text and the real text without comment lines, 0..1. Themisto's own chrF includes
 * comments. An empty prediction scores 0.
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
 * insert-chrf = chrf of the insertion after the cursor, in the user's names. If the target gives no insertion, its
 * adapted or raw code is scored. The best of the k results counts; an empty list scores 0.
 */
export const insertChrf: TextMetric = {
  ...chrf,
  name: "insert-chrf",
  description: "chrF of what the best result would insert after the cursor.",
  reads: "insert",
};
