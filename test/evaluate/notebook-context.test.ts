import { describe, expect, it } from "vitest";
import { contextOf, spreadCells } from "../../src/evaluate/notebook-context.js";

const md = (source: string) => ({ type: "markdown", source });
const code = (source: string) => ({ type: "code", source });

describe("contextOf", () => {
  it("has the last five non-empty code cells, nearest last, and the Markdown after the last cell", () => {
    const above = [
      ...[1, 2, 3, 4, 5, 6].map((at) => code(`c${at}\r\n`)),
      md("old"),
      code(" "),
      md("one"),
      { type: "other", source: "raw" },
      md("two"),
    ];
    expect(contextOf(above)).toEqual({ before: ["c2", "c3", "c4", "c5", "c6"], markdown: "one\n\ntwo" });
    expect(contextOf([md("only")])).toEqual({ before: [], markdown: "only" });
    expect(contextOf([])).toEqual({ before: [], markdown: "" });
  });
});

describe("spreadCells", () => {
  const cells = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ index, type: "code" as const, source: String(index) }));

  it.each([
    [0, []],
    [1, [0]],
    [2, [0, 1]],
    [3, [1, 2]],
    [9, [3, 6]],
    [10, [3, 6]],
  ])("takes, of %i cells, those at %j", (count, expected) => {
    expect(spreadCells(cells(count)).map(({ index }) => index)).toEqual(expected);
  });
});
