import { countShared } from "../text/call-names.js";
import type { TextMetric } from "./metric.js";

/**
 * api-recall = |calls(prediction) and calls(reference)| / |calls(reference)|. Calls are JuICe's API calls: the distinct
 * last parts of called names, without builtins. A case whose reference calls nothing is null and left out. An empty
 * list scores 0.
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

/**
 * api-precision = |calls(prediction) and calls(reference)| / |calls(prediction)|, with calls as in api-recall. A
 * prediction without calls scores 0, and so does an empty list. A case whose reference calls nothing is null and left
 * out, so api-precision and api-recall are means over the same cases.
 */
export const apiPrecision: TextMetric = {
  kind: "text",
  name: "api-precision",
  description: "Share of the prediction's calls that the real cell makes.",
  better: "higher",
  cut: false,
  combine: "best",
  of: ({ apiCalls }, { reference }) => {
    if (reference.apiCalls.size === 0) return null;
    return apiCalls.size === 0 ? 0 : countShared(apiCalls, reference.apiCalls) / apiCalls.size;
  },
};
