import { countShared } from "../text/calls.js";
import type { TextMetric } from "./metric.js";

/**
 * call-recall = |calls(result) and calls(rest)| / |calls(rest)|, distinct names of calls, comment lines dropped on both
 * sides. Relevant are the calls of `rest`; a case without any is null and left out. The best of the k counts, 0 for an
 * empty list; order, and so ties, do not matter.
 */
export const callRecall: TextMetric = {
  kind: "text",
  name: "call-recall",
  description: "Share of the calls typed next that the best result contains.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { rest }) => (rest.calls.size === 0 ? null : countShared(rest.calls, result.calls) / rest.calls.size),
};
