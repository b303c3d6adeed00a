import { countShared } from "../text/call-names.js";
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

/**
 * call-f1 = 2PR / (P + R), R the call recall against `rest`, P = |calls(result) and calls(reference)| /
 * |calls(result)|: calls of the part that was already typed are not errors. 0 if the result has no calls or no wanted
 * one; null, and left out, if `rest` has none. The best of the k counts, 0 for an empty list; order, and so ties, do
 * not matter.
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
    // `rest` is a part of the reference, but a cut through a string can hide its calls there.
    return right === 0 ? 0 : (2 * right * found) / (right + found);
  },
};
