import { describe, expect, it } from "vitest";
import { decodeScores } from "../../../src/store/milvus/row-search.js";

/** Contents with their BM25 scores, four times as large, because a query repeats its words. */
const CELLS = [
  { content: "a", bm25: 30 },
  { content: "b", bm25: 12 },
  { content: "c", bm25: 0.8 },
];
const fused = (bm25: number) => Math.fround((2 / Math.PI) * Math.atan(bm25));
const rounded = (scores: ReadonlyMap<string, number>) => [...scores].map(([id, score]) => [id, score.toFixed(3)]);

describe("decodeScores", () => {
  it("recovers BM25 scores from those of a fusion", () => {
    const rows = CELLS.map(({ bm25, ...rest }) => ({ ...rest, score: fused(bm25) }));
    expect(rounded(decodeScores(rows))).toEqual([
      ["a", "7.500"],
      ["b", "3.000"],
      ["c", "0.200"],
    ]);
  });

  it("recovers them from a server that treats them as distances and returns the worst first", () => {
    const rows = CELLS.map(({ bm25, ...rest }) => ({ ...rest, score: Math.fround(1 - fused(bm25)) })).reverse();
    expect(rounded(decodeScores(rows))).toEqual([
      ["c", "0.200"],
      ["b", "3.000"],
      ["a", "7.500"],
    ]);
  });

  it("has nothing for no rows", () => {
    expect(decodeScores([])).toEqual(new Map());
  });
});
