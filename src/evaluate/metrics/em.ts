import type { TextMetric } from "./metric.js";

/**
 * em = 1 if the predicted cell equals the real one, else 0. White space is normalised: runs count as one space, and
 * both ends are trimmed. An empty list scores 0, unless the real cell is empty.
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

/**
 * em-canonical = 1 if the prediction and the real cell have the same canonical tokens (JuICe), else 0. All strings
 * count as equal; comments and formatting do not count. An empty list scores 0.
 */
export const emCanonical: TextMetric = {
  kind: "text",
  name: "em-canonical",
  description: "Share of the cases where the prediction has exactly the real cell's canonical tokens.",
  better: "higher",
  cut: false,
  combine: "best",
  of: ({ canonical }, { reference }) =>
    canonical.length === reference.canonical.length && canonical.every((token, at) => token === reference.canonical[at])
      ? 1
      : 0,
};
