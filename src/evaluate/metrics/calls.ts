import { countShared } from "../text/call-names.js";
import type { TextMetric } from "./metric.js";

/**
 * call-recall = |calls(result) and calls(rest)| / |calls(rest)|, with distinct names of calls. Comment lines are
 * dropped in both texts. A case whose rest has no calls is null and left out. The best of the k results counts; an
 * empty list scores 0.
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

/**
 * call-f1 = 2PR / (P + R). R is the call recall against `rest`. P = |calls(result) and calls(reference)| /
 * |calls(result)|, so repeating a call of the typed part is not an error. 0 if the result has no calls, or none of the
 * rest. A case whose rest has no calls is null and left out. The best of the k results counts; an empty list scores 0.
 */
export const callF1: TextMetric = {
  kind: "text",
  name: "call-f1",
  description: "F1 of the best result's calls: recall of the calls typed next, precision against the real cell.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, target) => {
    const found = callRecall.of(result, target);
    if (found === null || found === 0) return found;
    const right = countShared(result.calls, target.reference.calls) / result.calls.size;
    // `right` may be 0 although `found` is not: if the cell was cut inside a string, the calls of `rest` may not be
    // found in the reference.
    return right === 0 ? 0 : (2 * right * found) / (right + found);
  },
};
