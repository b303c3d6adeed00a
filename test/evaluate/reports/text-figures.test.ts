import { describe, expect, it } from "vitest";
import { publishedColumns } from "../../../src/evaluate/reports/published.js";
import { figureLines, showFigure, textTable } from "../../../src/evaluate/reports/text-figures.js";

const pen = { dim: (text: string) => `~${text}` };

describe("figureLines", () => {
  it("keeps columns apart, leaves empty ones out, and says where less is better", () => {
    const lines = figureLines(
      {
        figures: { "a-long-name": 0.5, length: 123.45, none: null },
        ci95: { "a-long-name": [0.25, 0.75] },
        beside: { "a system of a long name": { length: 9.99999 }, empty: {} },
        lower: ["length"],
      },
      pen,
    );
    expect(lines).toEqual([
      "~metric                    value   95 % interval    a system of a long name",
      "a-long-name               0.5000  0.2500 - 0.7500",
      "length (lower is better)  123.5                    10.0000",
      "none",
    ]);
  });

  it("shows four decimals below ten, one from there on, and nothing for nothing", () => {
    expect([0, 9.99994, 10, 123.46, null, undefined].map(showFigure)).toEqual([
      "0.0000",
      "9.9999",
      "10.0",
      "123.5",
      "",
      "",
    ]);
  });

  it("has a head also without rows", () => {
    expect(textTable(["a", "b"], [], pen)).toEqual(["~a  b"]);
  });
});

describe("publishedColumns", () => {
  it("marks what was measured on other data", () => {
    const published = [
      { name: "theirs", figures: { a: 1 }, sameData: false, source: "paper" },
      { name: "again", figures: { a: 2 }, sameData: true, source: "here" },
    ];
    expect(publishedColumns({ published })).toEqual({ "theirs, other data": { a: 1 }, again: { a: 2 } });
    expect(publishedColumns({})).toEqual({});
  });
});
