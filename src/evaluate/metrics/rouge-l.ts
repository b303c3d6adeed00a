import { longestCommon } from "../text/ngrams.js";
import type { TextMetric } from "./metric.js";

/**
 * rouge-l = F1 of the longest common subsequence of words (Lin 2004): rouge-score's rougeL without stemming. Precision
 * is L / |prediction| and recall is L / |reference|. Words are runs of a to z and digits, in lower case. 0 if either
 * text has no words.
 */
export const rougeL: TextMetric = {
  kind: "text",
  name: "rouge-l",
  description: "Longest common subsequence of words with the real text, as F1.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) => {
    const words = result.words.length + reference.words.length;
    if (result.words.length === 0 || reference.words.length === 0) return 0;
    return (2 * longestCommon(result.words, reference.words)) / words;
  },
};
