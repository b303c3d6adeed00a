import { describe, expect, it } from "vitest";
import { linePrefixes } from "../../src/evaluate/notebook-context.js";

describe("linePrefixes", () => {
  it.each([
    ["a = 1", ["a = 1"]],
    ["a = 1\n\n  \nb = 2\n", ["a = 1", "a = 1\nb = 2"]],
    ["# why\r\nfor i in x:\r\n    f(i)", ["# why", "# why\nfor i in x:", "# why\nfor i in x:\n    f(i)"]],
    ["", []],
    [" \n\n", []],
  ])("asks %j line by line", (source, expected) => {
    expect(linePrefixes(source)).toEqual(expected);
  });
});
