import type { TextMetric } from "./metric.js";

/**
 * em = 1 where the predicted cell is the real one, white space normalised (runs of it count as one space, none at the
 * ends), else 0. An empty list scores 0, unless the real cell is empty.
 */
export const em: TextMetric = {
  kind: "text",
  name: "em",
  description: "Share of the cases where the prediction is exactly the real cell.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) => (normalise(result.raw) === normalise(reference.raw) ? 1 : 0),
};

const normalise = (text: string): string => text.replace(/\s+/g, " ").trim();
