import type { ShownMetric } from "./metric.js";

/** silent = 1 where no hit reaches the least confidence, also for an empty list; hits without a confidence are shown. */
export const silent: ShownMetric = {
  kind: "shown",
  name: "silent",
  description: "Share of the cases that get no answer by default, because nothing is sure enough.",
  better: "lower",
  cut: false,
  of: ({ confidences }, leastConfidence) =>
    Number(confidences.every((confidence) => (confidence ?? 1) < leastConfidence)),
};
