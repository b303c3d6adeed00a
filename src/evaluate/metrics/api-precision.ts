import { countShared } from "../text/calls.js";
import type { TextMetric } from "./metric.js";

/**
 * api-precision = |calls(prediction) and calls(reference)| / |calls(prediction)|, calls as in api-recall. A prediction
 * that calls nothing scores 0, or silence would be precise; a case whose reference calls nothing is null and left out,
 * as in api-recall, so that both are means over the same cases. An empty list scores 0.
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
