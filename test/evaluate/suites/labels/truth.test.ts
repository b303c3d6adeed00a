import { describe, expect, it } from "vitest";
import { readLabelTruth } from "../../../../src/evaluate/suites/labels/mistakes.js";
import { makeFolder } from "../../../cli/celrec.js";

const write = (...lines: unknown[]) => {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return `${makeFolder({ "truth.jsonl": text })}/truth.jsonl`;
};

describe("readLabelTruth", () => {
  it("reads cells with their labels, and takes None for none", () => {
    const path = write(
      { source: "a\r\n", label: ["x", "x", "y"], notebook: "n", cell_index: 3, licence: "MIT" },
      "",
      { source: "b", label: ["None"] },
      { source: "c", label: [], notebook: null, cell_index: 1 },
      { source: "d", label: ["x"], notebook: "n", cell_index: 3 },
      { source: "e", label: ["x"], notebook: "n" },
    );
    expect(readLabelTruth(path)).toEqual([
      { id: "n:3", notebook: "n", code: "a", labels: ["x", "y"] },
      { id: "line 3", notebook: "line 3", code: "b", labels: [] },
      { id: "line 4", notebook: "line 4", code: "c", labels: [] },
      { id: "n:3 (line 5)", notebook: "n", code: "d", labels: ["x"] },
      { id: "n, line 6", notebook: "n", code: "e", labels: ["x"] },
    ]);
  });

  it.each([
    ["{", /truth\.jsonl, line 2 is not JSON: /],
    ["[]", /truth\.jsonl, line 2: Invalid input: expected object/],
    [{ label: ["x"] }, /truth\.jsonl, line 2: source: /],
    [{ source: "a", label: "x" }, /truth\.jsonl, line 2: label: /],
    [{ source: "a", label: [1] }, /truth\.jsonl, line 2: label\.0: /],
    [{ source: "a", label: [""] }, /truth\.jsonl, line 2: label\.0: /],
    [{ source: "a", label: [], cell_index: -1 }, /truth\.jsonl, line 2: cell_index: /],
  ])("names the line of %j", (line, message) => {
    const path = write({ source: "a", label: [] }, line);
    expect(() => readLabelTruth(path)).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
    expect(() => readLabelTruth(path)).toThrow(message);
  });

  it("reports a missing cell, and a missing file", () => {
    expect(() => readLabelTruth(write(""))).toThrow(/has no labelled cells; a line is/);
    expect(() => readLabelTruth("missing.jsonl")).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  });
});
