import { describe, expect, it } from "vitest";
import { filledLines, lineStarts } from "../../src/python/lines.js";

describe("lineStarts", () => {
  it.each<[string, number[]]>([
    ["", [0]],
    ["a", [0]],
    ["a\n", [0, 2]],
    ["\n\nab\nc", [0, 1, 2, 5]],
  ])("of %j are %j", (text, starts) => {
    expect(lineStarts(text)).toEqual(starts);
  });
});

describe("filledLines", () => {
  it.each<[string, string[]]>([
    ["", []],
    [" \n\t", []],
    ["a \n\n  b\n# c", ["a ", "  b", "# c"]],
  ])("of %j are %j", (text, lines) => {
    expect(filledLines(text)).toEqual(lines);
  });
});
