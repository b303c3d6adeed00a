import type { LabelsResult } from "../../../../src/evaluate/suites/labels/labels-result.js";
import { runLabels } from "../../../../src/evaluate/suites/labels/labels-suite.js";
import type { TrueCell } from "../../../../src/evaluate/suites/labels/mistakes.js";
import { assignLabels, type Labeller } from "../../../../src/label/labeller.js";
/**
 * Four cells, small enough to count by hand. `a` is given rightly to one and two, wrongly to four; `b` is given wrongly
 * to three, and missed in two and four.
 */
export const CELLS: readonly TrueCell[] = [
  { id: "n1:0", notebook: "n1", code: "one\nx\ny", labels: ["a"] },
  { id: "n1:1", notebook: "n1", code: "two", labels: ["a", "b"] },
  { id: "n2:0", notebook: "n2", code: "three\nx\ny", labels: [] },
  { id: "n2:1", notebook: "n2", code: "four", labels: ["b"] },
];

const PROBABILITIES: Readonly<Record<string, readonly [number, number]>> = {
  one: [0.9, 0.1],
  two: [0.8, 0.2],
  three: [0.05, 0.95],
  four: [0.7, 0.4],
};

/** The labels that are still possible after one, two and three lines. */
const POSSIBLE = [["a", "b"], ["b"], ["a"]];

/** Returns the probabilities for the first line of a cell; `changed` overrides some of them. */
export function sampleLabeller(changed: typeof PROBABILITIES = {}): Labeller {
  return {
    id: "sample",
    labels: ["a", "b"],
    label(code, head) {
      const lines = code.split("\n");
      const known = { ...PROBABILITIES, ...changed }[lines[0]!]!;
      const labelling = assignLabels(["a", "b"], known, { assigned: 0.5, possible: 0.5 });
      return head === "cell" ? labelling : { ...labelling, possible: POSSIBLE[lines.length - 1]! };
    },
  };
}

/** The result of the sample without its timings, which differ between runs. */
export async function labelsDocument({
  cells = CELLS,
  labeller = sampleLabeller(),
  partial = true,
} = {}): Promise<LabelsResult> {
  const result = await runLabels({
    cells,
    labeller,
    partial,
    config: { truth: "cells.jsonl", labeller: labeller.id, partial },
    manifest: {
      versions: { celrec: "0.1.0", node: "20.0.0" },
      settings: { labeller: labeller.id, partial },
      inputs: { truth: "e".repeat(16) },
    },
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  return { ...result!, latency: { label: { mean: 0.2, p50: 0.1, p95: 0.4, p99: 0.5, max: 0.6 } } };
}
