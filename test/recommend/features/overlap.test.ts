import { describe, expect, it } from "vitest";
import { hashPair, hashText, profileCell } from "../../../src/python/profile.js";
import { compareCells } from "../../../src/recommend/features/compare-cells.js";
import { FEATURES, shareInOrder, startsAlike } from "../../../src/recommend/features/feature-table.js";
import { createOverlapMeasure } from "../../../src/recommend/features/overlap.js";
import {
  createWordTable,
  profileQuery,
  type QueryContext,
  type QueryProfile,
} from "../../../src/recommend/features/query-profile.js";
import {
  createProfileView,
  joinProfiles,
  moveTo,
  type ProfileView,
  packProfile,
} from "../../../src/store/profile-pack.js";

/** Every word counts 1, except `rare` (3) and `the` (0). */
const idf = (word: string) => (word === "rare" ? 3 : word === "the" ? 0 : 1);
const pack = (code: string) => packProfile(profileCell(code));
const view = (code: string) => {
  const packed = joinProfiles([pack(code)]);
  const cell = createProfileView(packed);
  moveTo(cell, packed, 0);
  return cell;
};
const measureWith = (query: QueryProfile) => {
  const overlap = createOverlapMeasure(query, new Int16Array(300));
  return (code: string) => overlap(view(code));
};
const measure = (query: string, cell: string, context: QueryContext = {}) =>
  measureWith(profileQuery(query, context, idf))(cell);
const named = (name: string, query: string, ...cells: string[]) => {
  const at = FEATURES.findIndex((feature) => feature.name === name);
  const compared = cells.map((code) => ({ profile: pack(code), vector: null, follows: 0.5 }));
  return compareCells(FEATURES, profileQuery(query, {}, idf), {}, compared).map((row) => row[at]);
};

describe("the overlap of a query and a cell", () => {
  it("scores by BM25 with k1 1.2, b .4 and cells of 80 words", () => {
    // The cell has five words; `soft` is k1 (1 - b + b x length / 80).
    const soft = 1.2 * (0.6 + (0.4 * 5) / 80);
    expect(measure("a rare", "a a a rare x").bm25.code).toBeCloseTo(
      (3 * 2.2) / (3 + soft) + (3 * 2.2) / (1 + soft),
      12,
    );
    expect(measure("a", "x").bm25).toEqual({ code: 0, before: 0, markdown: 0 });
    const { bm25 } = measure("x", "b c", { before: ["b"], markdown: "c rare" });
    const softTwo = 1.2 * (0.6 + (0.4 * 2) / 80);
    expect([bm25.before, bm25.markdown]).toEqual([2.2 / (1 + softTwo), 2.2 / (1 + softTwo)]);
  });

  it("is a share of the total weight of the query's words", () => {
    const { share } = measure("a rare the", "rare the", { before: ["rare b"], markdown: "b c" });
    expect(share).toEqual({ code: 3 / 4, fixed: 0, last: 3 / 4, before: 3 / 4, markdown: 0, remarks: 0 });
  });

  it("counts words as early within twice the number of typed words, at least 24", () => {
    const behind = (count: number, word: string) => `${"x ".repeat(count)}${word}`;
    expect([measure("a", behind(23, "a")).early, measure("a", behind(24, "a")).early]).toEqual([1, 0]);
    const long = Array.from({ length: 15 }, (_, at) => `w${String.fromCharCode(97 + at)}`).join(" ");
    expect(measure(long, behind(29, "wa")).early).toBeCloseTo(1 / 15, 12);
    expect(measure(long, behind(30, "wa")).early).toBe(0);
    expect(measure("", "a").early).toBe(0);
  });

  it("counts a pair once, with the mean weight of its words, and independently of earlier cells", () => {
    const query = profileQuery("a rare b", {}, idf);
    const pairs = measureWith(query);
    const total = 2 * Math.sqrt(3);
    expect(pairs("a rare a rare").pairs).toBeCloseTo(Math.sqrt(3) / total, 12);
    expect(pairs("a rare").pairs).toBeCloseTo(Math.sqrt(3) / total, 12);
    expect(pairs("a x rare").pairs).toBe(0);
    expect(measure("a", "a").pairs).toBe(0);
  });

  it("counts each word of comments once, at any position", () => {
    // The `#` itself is a word.
    expect(measure("# rare b c", "b()  # b rare").share.remarks).toBeCloseTo(5 / 6, 12);
    expect(measure("a", "a  # a").share.remarks).toBe(0);
  });
});

describe("features of length and place", () => {
  it("take the logarithm of lengths, 20 characters longer on both sides", () => {
    expect(named("long", "a", "x".repeat(600), "x".repeat(1_220))).toEqual([0, Math.log(1_240 / 620)]);
    expect(named("shorter", "x".repeat(30), "x".repeat(5), "x".repeat(40))).toEqual([Math.log(50 / 25), 0]);
    expect(named("longer", "x".repeat(30), "x".repeat(5), "x".repeat(80))).toEqual([0, Math.log(100 / 50)]);
  });

  it("count only close similarity of the cell before", () => {
    expect(named("follows", "a", "b")).toEqual([0.0625]);
  });

  it("divide by the best candidate if the size depends on the query", () => {
    const [best, other] = named("bm25", "a b", "a b", "a c") as [number, number];
    expect([best, other]).toEqual([1, 0.5]);
    expect(named("bm25", "a", "x", "y")).toEqual([0, 0]);
  });
});

describe("shareInOrder", () => {
  /** A cell whose list of lines is at 1, between other numbers. */
  const withLines = (lines: readonly number[]) =>
    ({ integers: Int32Array.of(9, ...lines, 9), lineCount: lines.length }) as unknown as ProfileView;
  const share = (wanted: number[], lines: number[], weights = wanted.map(() => 1)) =>
    shareInOrder(Int32Array.from(wanted), withLines(lines), 1, Float64Array.from(weights));

  it("looks for each line after the previous one, and skips missing ones", () => {
    expect(share([1, 2, 3], [1, 9, 2, 3])).toBe(1);
    expect(share([1, 2, 3], [3, 1, 2])).toBeCloseTo(2 / 3, 12);
    expect(share([1, 1], [1])).toBe(0.5);
    expect(share([7, 2], [2], [3, 1])).toBe(0.25);
    expect(share([], [1])).toBe(0);
  });

  it("detects equal starts", () => {
    const starts = (wanted: number[], lines: number[]) => startsAlike(Int32Array.from(wanted), withLines(lines), 1);
    expect([starts([1, 2], [1]), starts([2], [1, 2]), starts([], []), starts([], [1])]).toEqual([1, 0, 0, 0]);
  });
});

describe("hashes", () => {
  it("are 30 bits, odd, and depend on every character and on the order", () => {
    // FNV-1a of "a" is e40c292c.
    const fnv = 0xe40c292c | 0;
    expect(hashText("a")).toBe((((fnv ^ (fnv >>> 15)) >>> 2) & 0x3fffffff) | 1);
    const texts = ["", "a", "b", "ab", "ba", "abc", "df", "plt"];
    const hashes = texts.map(hashText);
    expect(new Set(hashes).size).toBe(texts.length);
    for (const hash of [...hashes, hashPair(1, 3), hashPair(0, 0)])
      expect([hash & 1, hash > 0, hash < 2 ** 30]).toEqual([1, true, true]);
    expect(hashPair(1, 3)).not.toBe(hashPair(3, 1));
    expect(hashPair(1, 3)).not.toBe(hashPair(1, 5));
  });

  it("are numbered by a table, also with collisions", () => {
    // All words have the same slot in a small table.
    const hashes = [1, 1 + 2 ** 10, 1 + 2 ** 11, 1, 3];
    const table = createWordTable(hashes);
    expect([table.size, ...hashes.map(table.find)]).toEqual([4, 0, 1, 2, 0, 3]);
    expect([table.find(5), table.find(1 + 2 ** 12)]).toEqual([-1, -1]);
    expect(createWordTable([]).find(7)).toBe(-1);
  });
});
