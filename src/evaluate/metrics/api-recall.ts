import { countShared } from "../text/calls.js";
import type { TextMetric } from "./metric.js";

/**
 * api-recall = |calls(prediction) and calls(reference)| / |calls(reference)|, distinct last parts of the names called,
 * builtins left out (JuICe's API calls). A case whose reference calls nothing is null and left out; an empty list
 * scores 0.
 */
export const apiRecall: TextMetric = {
  kind: "text",
  name: "api-recall",
  description: "Share of the real cell's calls that the prediction makes.",
  better: "higher",
  cut: false,
  combine: "best",
  of: ({ apiCalls }, { reference }) =>
    reference.apiCalls.size === 0 ? null : countShared(reference.apiCalls, apiCalls) / reference.apiCalls.size,
};
