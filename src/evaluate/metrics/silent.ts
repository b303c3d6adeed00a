import type { ShownMetric } from "./metric.js";

/** silent = 1 where no hit reaches the minimum confidence, also for an empty list; hits without a confidence are shown. */
export const silent: ShownMetric = {
  kind: "shown",
  name: "silent",
  description: "Share of the cases that get no answer by default, because no confidence is high enough.",
  better: "lower",
  cut: false,
  of: ({ confidences }, minConfidence) => Number(confidences.every((confidence) => (confidence ?? 1) < minConfidence)),
};
