import { describe, expect, it } from "vitest";
import { decodeScores } from "../../../src/store/milvus/search.js";

const WORDS = new Map([
  ["read", 1],
  ["csv", 2],
]);
/** Contents with their BM25 scores, four times as large, because a query repeats its words. */
const CELLS = [
  { content: "a", code: "df = pd.read_csv(path)", bm25: 30 },
  { content: "b", code: "csv = 1", bm25: 12 },
  { content: "c", code: "read = 2", bm25: 0.8 },
];
const fused = (bm25: number) => Math.fround((2 / Math.PI) * Math.atan(bm25));
const rounded = (scores: ReadonlyMap<string, number>) => [...scores].map(([id, score]) => [id, score.toFixed(3)]);

describe("decodeScores", () => {
  it("recovers BM25 scores from those of a fusion", () => {
    const rows = CELLS.map(({ bm25, ...rest }) => ({ ...rest, score: fused(bm25) }));
    expect(rounded(decodeScores(rows, WORDS))).toEqual([
      ["a", "7.500"],
      ["b", "3.000"],
      ["c", "0.200"],
    ]);
  });

  it("recovers them on a server that takes them for distances, and returns the worst first", () => {
    const rows = CELLS.map(({ bm25, ...rest }) => ({ ...rest, score: Math.fround(1 - fused(bm25)) })).reverse();
    expect(rounded(decodeScores(rows, WORDS))).toEqual([
      ["c", "0.200"],
      ["b", "3.000"],
      ["a", "7.500"],
    ]);
  });

  it("goes by the size of the scores where all rows have the same words", () => {
    const rows = [CELLS[0]!, { ...CELLS[0]!, content: "d", bm25: 24 }].map(({ bm25, ...rest }) => ({ ...rest, bm25 }));
    const expected = [
      ["a", "7.500"],
      ["d", "6.000"],
    ];
    const plain = rows.map(({ bm25, ...rest }) => ({ ...rest, score: fused(bm25) }));
    const inverted = rows.map(({ bm25, ...rest }) => ({ ...rest, score: Math.fround(1 - fused(bm25)) }));
    expect(rounded(decodeScores(plain, WORDS))).toEqual(expected);
    expect(rounded(decodeScores(inverted, WORDS))).toEqual(expected);
  });

  it("has nothing for no rows", () => {
    expect(decodeScores([], WORDS)).toEqual(new Map());
  });
});
