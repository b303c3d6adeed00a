import { codebleu, codebleuParts } from "./codebleu.js";
import type { PooledMetric } from "./metric.js";

/** codebleu-published = codebleu as ExeDS's program adds it up: a data flow that no reference has counts 0 instead of 1. */
export const codebleuPublished: PooledMetric = {
  ...codebleu,
  name: "codebleu-published",
  description: "CodeBLEU as the program of ExeDS adds it up.",
  of: (sums) => codebleuParts(sums).reduce((sum, part) => sum + part / 4, 0),
  single: (counts) => codebleuPublished.of(counts) ?? 0,
};
