import type { ShownMetric } from "./metric.js";

/**
 * useful@k = 1 if one of the first k hits is useful (call F1 of at least .5) and reaches the minimum confidence, else
 * 0. Hits without a confidence are always shown. A case whose rest has no calls is null and left out.
 */
export const useful: ShownMetric = {
  kind: "shown",
  name: "useful",
  description: "Share of the cases where a hit that is shown by default is useful.",
  better: "higher",
  cut: true,
  of: ({ confidences, useful: hits }, minConfidence) =>
    hits === null ? null : Number(hits.some((isUseful, at) => isUseful && (confidences[at] ?? 1) >= minConfidence)),
};

/**
 * silent = 1 if no hit reaches the minimum confidence, or if the list is empty, else 0. Hits without a confidence are
 * always shown.
 */
export const silent: ShownMetric = {
  kind: "shown",
  name: "silent",
  description: "Share of the cases that get no answer by default, because no confidence is high enough.",
  better: "lower",
  cut: false,
  of: ({ confidences }, minConfidence) => Number(confidences.every((confidence) => (confidence ?? 1) < minConfidence)),
};
