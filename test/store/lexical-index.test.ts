import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LexicalParts, packLexical, readLexical, toLexicalState } from "../../src/store/lexical-file.js";
import { createLexicalIndex, type LexicalIndex } from "../../src/store/lexical-index.js";
import { createRandom } from "./contract/fixtures.js";

const words = (...names: string[]) => new Map(names.map((name) => [name, 1]));
const rows = (index: LexicalIndex, ...names: string[]) =>
  index.search({ words: words(...names), k: 10 }).map(({ row }) => row);

function withCells(cells: readonly string[]): LexicalIndex {
  const index = createLexicalIndex();
  for (const [row, cell] of cells.entries()) index.add(row, cell.split(" "));
  return index;
}

const compacted = (index: LexicalIndex) => {
  for (const _ of index.compact());
  return index;
};

function save(index: LexicalIndex): { parts: LexicalParts; bytes: Buffer } {
  const { parts, slices } = packLexical(compacted(index).state);
  return { parts, bytes: Buffer.concat([...slices()]) };
}

async function load({ parts, bytes }: { parts: LexicalParts; bytes: Uint8Array }): Promise<LexicalIndex | null> {
  let at = 0;
  const read = (into: Uint8Array) => {
    into.set(bytes.subarray(at, at + into.length));
    at += into.length;
    return at <= bytes.length;
  };
  const content = await readLexical(parts, read, async () => {});
  const state = content && toLexicalState(content);
  return state && createLexicalIndex({}, state);
}

describe("the lexical index", () => {
  it("scores by BM25 with k1 1.2 and b 0.4", () => {
    const index = withCells(["a b", "a a a c", "d"]);
    // Two of three rows hold `a`: idf = ln(1 + 1.5 / 2.5); lengths 2 and 4, 7 / 3 on average.
    const idf = Math.log(1 + 1.5 / 2.5);
    const expected = (count: number, length: number) =>
      (idf * count * 2.2) / (count + 1.2 * (0.6 + (0.4 * length) / (7 / 3)));
    const hits = index.search({ words: words("a"), k: 3 });
    expect(hits.map(({ row }) => row)).toEqual([1, 0]);
    expect(hits[0]!.score).toBeCloseTo(expected(3, 4), 6);
    expect(hits[1]!.score).toBeCloseTo(expected(1, 2), 6);
    expect(index.idf("a")).toBeCloseTo(idf, 12);
    expect(index.idf("never")).toBeCloseTo(Math.log(8), 12);
  });

  it("prefers the rare word", () => {
    const index = withCells(["plot show", "plot fit", "plot show", "plot show"]);
    expect(rows(index, "plot", "fit")[0]).toBe(1);
  });

  it("gives ties to the smaller row, and at most k", () => {
    const index = withCells(["x", "x", "x", "x"]);
    expect(index.search({ words: words("x"), k: 2 }).map(({ row }) => row)).toEqual([0, 1]);
    expect(index.search({ words: words("x"), k: 0 })).toEqual([]);
  });

  it("finds only near ties after the first hits", () => {
    const random = createRandom(5);
    const names = Array.from({ length: 30 }, (_, at) => `w${at}`);
    const draw = (max: number) =>
      Array.from({ length: 1 + Math.floor(random() * max) }, () => names[Math.floor(random() ** 2 * 30)]!);
    const index = compacted(withCells(Array.from({ length: 6_000 }, () => draw(12).join(" "))));
    index.add(6_000, draw(12));
    let cut = 0;
    for (let round = 0; round < 60; round += 1) {
      const query = { words: words(...draw(6)), k: 80 };
      const ties = { first: 10, share: 0.6 + 0.39 * random() };
      const all = index.search(query);
      const expected = all.filter(({ score }, rank) => rank < 10 || score >= ties.share * all[0]!.score);
      expect(index.search({ ...query, ties })).toEqual(expected);
      if (expected.length > 10 && expected.length < 80) cut += 1;
    }
    expect(cut).toBeGreaterThan(5);
  });

  it("weighs words", () => {
    const index = withCells(["left", "right"]);
    const query = new Map([
      ["left", 0.2],
      ["right", 1],
    ]);
    expect(index.search({ words: query, k: 1 })[0]!.row).toBe(1);
  });

  it("finds only rows that are accepted", () => {
    const index = withCells(["x", "x", "x"]);
    expect(index.search({ words: words("x"), k: 5, accepts: (row) => row !== 1 }).map(({ row }) => row)).toEqual([
      0, 2,
    ]);
  });

  it("finds nothing for unknown words, without words, or in an empty index", () => {
    expect(rows(withCells(["x"]), "y")).toEqual([]);
    expect(rows(withCells(["x"]))).toEqual([]);
    expect(rows(createLexicalIndex(), "x")).toEqual([]);
  });

  it("replaces a row, and forgets a removed one", () => {
    const index = withCells(["old", "old"]);
    index.add(0, ["new"]);
    index.remove(7);
    expect([rows(index, "old"), rows(index, "new"), index.size]).toEqual([[1], [0], 2]);
    index.remove(1);
    expect([rows(index, "old"), index.has(1), index.size]).toEqual([[], false, 1]);
    index.clear();
    expect([rows(index, "new"), index.size]).toEqual([[], 0]);
  });

  it("stays correct while thousands of rows are added and removed", () => {
    const index = createLexicalIndex();
    for (let row = 0; row < 12_000; row += 1) index.add(row, [row % 2 === 0 ? "even" : "odd", `n${row}`]);
    for (let row = 0; row < 11_990; row += 1) index.remove(row);
    for (const _ of index.tidy());
    expect(index.state.documents).toBe(10);
    expect(index.size).toBe(10);
    expect(rows(index, "even")).toEqual([11_990, 11_992, 11_994, 11_996, 11_998]);
    index.add(3, ["even"]);
    expect(rows(index, "even")[0]).toBe(3);
  });

  it("answers after any changes like a new index of the same notebooks", async () => {
    const cell = fc.array(fc.constantFrom("a", "b", "c", "d", "constructor", "__proto__"), { maxLength: 6 });
    const change = fc.tuple(fc.nat(9), fc.option(cell));
    const limits = fc.record({ maxAdded: fc.constantFrom(3, 1_000), maxRemoved: fc.constantFrom(2, 1_000) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), cell, limits, async (changes, query, few) => {
        const index = createLexicalIndex(few);
        const left = new Map<number, string[]>();
        for (const [row, content] of changes) {
          if (content === null) index.remove(row);
          else index.add(row, content);
          for (const _ of index.tidy());
          if (content === null) left.delete(row);
          else left.set(row, content);
        }
        const fresh = createLexicalIndex();
        for (const [row, content] of left) fresh.add(row, content);
        expect(new Set(rows(index, ...query))).toEqual(new Set(rows(fresh, ...query)));
        expect(index.size).toBe(left.size);
        const saved = (await load(save(index)))!;
        const ask = (one: LexicalIndex) => one.search({ words: words(...query), k: 4 });
        expect(ask(saved)).toEqual(ask(fresh));
        expect(ask(index)).toEqual(ask(fresh));
      }),
      { seed: 1 },
    );
  });

  it.each<[string, (index: LexicalIndex) => LexicalIndex]>([
    ["as they came", (index) => index],
    ["compacted", compacted],
  ])("finds the k best of many rows as if it had scored them all: %s", (_, prepare) => {
    const random = createRandom(5);
    // Word n is held by about one row in n, as the words of a language are.
    const names = Array.from({ length: 40 }, (_, n) => `w${n + 1}`);
    const cells = Array.from({ length: 6_000 }, () => names.filter((_, n) => random() < 1 / (n + 1)));
    const index = prepare(withCells(cells.map((cell) => cell.join(" "))));
    const average = cells.reduce((sum, cell) => sum + cell.length, 0) / cells.length;
    const odd = (row: number) => row % 2 === 1;
    for (let round = 0; round < 50; round += 1) {
      const query = names.filter(() => random() < 0.3);
      const naive = cells.map((cell) => {
        const soft = 1.2 * (0.6 + (0.4 * cell.length) / average);
        const held = query.filter((word) => cell.includes(word));
        return held.reduce((sum, word) => sum + (index.idf(word) * 2.2) / (1 + soft), 0);
      });
      const expected = naive
        .filter((score, row) => odd(row) && score > 0)
        .sort((a, b) => b - a)
        .slice(0, 5);
      const hits = index.search({ words: words(...query), k: 5, accepts: odd });
      expect(hits.every(({ row, score }) => odd(row) && Math.abs(score - naive[row]!) < 1e-4)).toBe(true);
      expect(hits.length).toBe(expected.length);
      for (const [place, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[place]!, 4);
      expect(index.search({ words: words(...query), k: 2_000, accepts: odd }).slice(0, 5)).toEqual(hits);
      const small = (row: number) => row < 900;
      const asked = { words: words(...query), k: 5 };
      const both = index.searchBoth({ ...asked, accepts: odd }, small);
      expect(both.passing).toEqual(index.search({ ...asked, accepts: (row) => odd(row) && small(row) }));
      expect(both.all()).toEqual(hits);
    }
  });

  it("keeps growing after it was loaded", async () => {
    const loaded = (await load(save(withCells(["a b", "b"]))))!;
    loaded.add(2, ["b", "c"]);
    expect([rows(loaded, "c"), rows(loaded, "a"), loaded.size]).toEqual([[2], [0], 3]);
  });

  it("does not load an incomplete file", async () => {
    const { parts, bytes } = save(withCells(["a b", "b"]));
    expect(await load({ parts, bytes: bytes.subarray(0, -1) })).toBeNull();
    expect(await load({ parts: { ...parts, wordBytes: 3 }, bytes })).toBeNull();
    expect(await load({ parts, bytes: Buffer.alloc(0) })).toBeNull();
  });

  it("accepts, removes and finds rows while it is compacted", () => {
    const index = createLexicalIndex({ mergeSlice: 10 });
    for (let row = 0; row < 50; row += 1) index.add(row, ["common", `w${row}`]);
    for (let row = 0; row < 20; row += 1) index.remove(row);
    const steps = index.compact();
    expect(steps.next().done).toBe(false);
    index.add(50, ["common", "late"]);
    index.remove(30);
    expect([rows(index, "late"), rows(index, "w30"), rows(index, "w31")]).toEqual([[50], [], [31]]);
    for (const _ of steps);
    index.add(51, ["late"]);
    expect([rows(index, "late"), rows(index, "w30"), rows(index, "w31"), index.size]).toEqual([[51, 50], [], [31], 31]);
    expect(index.search({ words: words("common"), k: 99 }).map(({ row }) => row)).toEqual([
      ...Array.from({ length: 10 }, (_, at) => 20 + at),
      ...Array.from({ length: 20 }, (_, at) => 31 + at),
    ]);
  });

  it("drops the postings of removed rows", () => {
    const index = createLexicalIndex({ maxRemoved: 10 });
    for (let round = 0; round < 60; round += 1) {
      for (let row = 0; row < 30; row += 1) index.add(1 + 30 * round + row, ["same", `n${row}`]);
      for (let row = 0; row < 30; row += 1) index.remove(1 + 30 * (round - 1) + row);
      for (const _ of index.tidy());
    }
    expect(index.size).toBe(30);
    expect(index.state.documents).toBeLessThan(100);
  });

  it("reads every word, however common", () => {
    const index = createLexicalIndex();
    for (let row = 0; row < 2000; row += 1) index.add(row, ["import"]);
    expect(rows(index, "import")).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
