import { describe, expect, it } from "vitest";
import { type CellToShow, fitCells } from "../../src/mcp/show-cells.js";

const lines = (count: number) => Array.from({ length: count }, (_, at) => `value_${at} = compute(${at})`).join("\n");

function makeHit(rank: number, code: string, from = 0): CellToShow {
  return {
    rank,
    id: "c".repeat(64),
    code,
    excerpt: { from, count: code.split("\n").length - from },
    labels: ["process_data"],
    confidence: 0.5,
    occurrences: 1,
    notebook: { id: "b".repeat(64), source: "/corpus", name: "a.ipynb", cellIndex: 3, location: "/corpus/a.ipynb" },
  };
}

describe("fitCells", () => {
  it("shows cells whole where there is room, with a location only where source and name do not tell it", () => {
    const { cells, leftOut } = fitCells([makeHit(1, "x = 1\ny = 2")], 2_000);
    expect(leftOut).toBe(0);
    expect(cells).toEqual([
      {
        rank: 1,
        id: "c".repeat(64),
        code: "x = 1\ny = 2",
        lines: { from: 0, shown: 2, of: 2 },
        labels: ["process_data"],
        confidence: 0.5,
        occurrences: 1,
        notebook: { id: "b".repeat(64), source: "/corpus", name: "a.ipynb", cellIndex: 3 },
      },
    ]);
  });

  it.each([200, 500, 1_000, 3_000])("keeps %i tokens in JSON, which is the longer form", (tokens) => {
    const hits = Array.from({ length: 8 }, (_, at) => makeHit(at + 1, lines(40)));
    const { cells, leftOut } = fitCells(hits, tokens);
    expect(JSON.stringify(cells).length).toBeLessThanOrEqual(Math.max(1_000, tokens * 2.6) + 20);
    expect(cells.length).toBeGreaterThan(0);
    expect(cells.length + leftOut).toBe(8);
  });

  it("cuts a long cell to the lines that matter", () => {
    const [cell] = fitCells([makeHit(1, lines(100), 50)], 400).cells;
    expect(cell!.lines).toEqual({ from: 50, shown: cell!.code.split("\n").length, of: 100 });
    expect(cell!.code).toMatch(/^value_50 = compute\(50\)\n/);
  });

  it("gives what a short cell leaves to the next one", () => {
    const alone = fitCells([makeHit(1, lines(100)), makeHit(2, lines(100))], 1_000).cells;
    const after = fitCells([makeHit(1, "x"), makeHit(2, lines(100))], 1_000).cells;
    expect(after[1]!.lines.shown).toBeGreaterThan(alone[1]!.lines.shown);
  });

  it("cuts a picture in a string", () => {
    const [cell] = fitCells([makeHit(1, `image = "${"A".repeat(5_000)}"`)], 2_000).cells;
    expect(cell!.code).toBe(`image = "${"A".repeat(391)}... (4610 characters more)`);
  });
});
