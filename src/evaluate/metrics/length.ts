import type { TextMetric } from "./metric.js";

/**
 * length = mean number of characters (code points) of the raw results, comments included. Long cells get a high recall
 * without being better. An empty list has length 0.
 */
export const length: TextMetric = {
  kind: "text",
  name: "length",
  description: "Mean length of the results in characters.",
  better: "lower",
  cut: false,
  combine: "mean",
  of: ({ raw }) => [...raw].length,
};
