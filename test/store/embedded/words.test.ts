import { describe, expect, it } from "vitest";
import { createBestRows } from "../../../src/store/best-rows.js";
import { createLexicalIndex, type LexicalIndex } from "../../../src/store/lexical-index.js";
import {
  append,
  createPostings,
  emptySegment,
  mergeSegment,
  type Postings,
  type Segment,
} from "../../../src/store/segment.js";
import { createSegmentWindows, createTermSearch, type Documents, type Term } from "../../../src/store/term-search.js";
import { createRandom } from "../contract/fixtures.js";

const finish = <T>(steps: Generator<void, T>): { result: T; turns: number } => {
  for (let turns = 0; ; turns += 1) {
    const step = steps.next();
    if (step.done) return { result: step.value, turns };
  }
};
const plain = ({ documentFrequencies, starts, docs, counts, dense, documents }: Segment) => ({
  documents,
  documentFrequencies: [...documentFrequencies],
  starts: [...starts],
  docs: [...docs],
  counts: [...counts],
  dense: [...dense].map(([term, byDocument]) => [term, [...byDocument]]),
});

describe("mergeSegment", () => {
  const postings = (...entries: [doc: number, count: number][]): Postings => {
    const made = createPostings();
    for (const [doc, count] of entries) append(made, doc, count);
    return made;
  };

  it("merges lists and dense words, without removed documents", () => {
    // Ten documents. Word 0 is in all of them, word 1 in two, and word 2 in one.
    const all = Array.from({ length: 10 }, (_, doc): [number, number] => [doc, doc + 1]);
    const added = new Map([
      [0, postings(...all)],
      [1, postings([3, 2], [8, 4])],
      [2, postings([5, 1])],
    ]);
    const same = Int32Array.from({ length: 10 }, (_, doc) => doc);
    const first = finish(mergeSegment(emptySegment(), added, 3, same, 10)).result;
    expect(plain(first)).toEqual({
      documents: 10,
      documentFrequencies: [10, 2, 1],
      starts: [0, 0, 2, 3],
      docs: [3, 8, 5],
      counts: [2, 4, 1],
      dense: [[0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]],
    });
    // Documents 3 and 9 are removed and the other documents move up. A new one has words 1 and 3.
    const numbers = Int32Array.of(0, 1, 2, -1, 3, 4, 5, 6, 7, -1, 8);
    const more = new Map([
      [1, postings([10, 9])],
      [3, postings([10, 7])],
    ]);
    const second = finish(mergeSegment(first, more, 4, numbers, 9, 5));
    expect(plain(second.result)).toEqual({
      documents: 9,
      documentFrequencies: [8, 2, 1, 1],
      starts: [0, 0, 0, 1, 2],
      docs: [4, 8],
      counts: [1, 7],
      dense: [
        [0, [1, 2, 3, 5, 6, 7, 8, 9, 0]],
        [1, [0, 0, 0, 0, 0, 0, 0, 4, 9]],
      ],
    });
    // The merge yields after five words and postings: 1 + 8, then 1 + 2 and 1 + 1, in both rounds.
    expect(second.turns).toBe(4);
  });
});

describe("a search by terms", () => {
  const SATURATION = { base: 0.72, perWord: 0.048 };
  type Entries = readonly (readonly [number, number])[];
  interface Word {
    readonly gain: number;
    readonly entries: Entries;
    readonly later?: Entries;
  }

  /** A segment with these words, and the arguments of a search for them. */
  function makeSearch(words: readonly Word[], count: number, behind = 0) {
    const docs = Uint32Array.from(words.flatMap(({ entries }) => entries.map(([doc]) => doc)));
    const counts = Uint8Array.from(words.flatMap(({ entries }) => entries.map(([, count]) => count)));
    const documentFrequencies = Uint32Array.from(words, ({ entries }) => entries.length);
    const starts = new Uint32Array(words.length + 1);
    for (const [at, size] of documentFrequencies.entries()) starts[at + 1] = starts[at]! + size;
    const segment = { documents: count, documentFrequencies, starts, docs, counts, dense: new Map() };
    const lengths = new Uint32Array(count + behind).fill(10);
    const windows = createSegmentWindows(segment, lengths, SATURATION);
    const terms: Term[] = words.map(({ gain, entries, later = [] }, at) => ({
      gain,
      postings: entries.length + later.length,
      windows: entries.length > 0 ? windows.of(at) : null,
      later: [
        {
          docs: Uint32Array.from(later, ([doc]) => doc),
          counts: Uint8Array.from(later, ([, times]) => times),
          length: later.length,
        },
      ],
    }));
    const documents = (rowOf: (doc: number) => number = (doc) => doc): Documents => ({
      ...SATURATION,
      count: count + behind,
      segment: { ...segment, saturation: SATURATION },
      lengths,
      rowOf,
    });
    return { terms, documents };
  }

  const searchBest = (terms: readonly Term[], documents: Documents, k: number, search = createTermSearch()) => {
    const best = createBestRows(k);
    search(terms, documents, best);
    return best.sorted();
  };

  it("stops reading a long list once no further document can reach the best", () => {
    const asked = new Set<number>();
    const rowOf = (doc: number) => {
      asked.add(doc);
      return doc;
    };
    const common = { gain: 0.01, entries: Array.from({ length: 5_000 }, (_, doc) => [doc, 1] as const) };
    const rare: Word = {
      gain: 5,
      entries: [
        [7, 2],
        [8, 2],
        [4_000, 1],
        [4_500, 1],
      ],
    };
    const { terms, documents } = makeSearch([common, rare], 5_000);
    const found = searchBest(terms, documents(rowOf), 2);
    expect(found.map(({ row }) => row)).toEqual([7, 8]);
    const score = (10 / 3.2 + 0.01 / 2.2).toFixed(6);
    expect(found.map((hit) => hit.score.toFixed(6))).toEqual([score, score]);
    // The first window fills the list. No document of another window or with only the common word ranks higher.
    expect([...asked].filter((doc) => doc > 1_024)).toEqual([]);
    const { terms: behind, documents: more } = makeSearch([{ ...rare, later: [[5_001, 9]] }], 5_000, 2);
    expect(searchBest(behind, more(), 2).map(({ row }) => row)).toEqual([5_001, 7]);
  });

  it("finds the best even if the average length has changed since the windows were computed", () => {
    const { terms, documents } = makeSearch(
      [{ gain: 1, entries: Array.from({ length: 3_000 }, (_, doc) => [doc, doc === 2_900 ? 2 : 1] as const) }],
      3_000,
    );
    const [first] = searchBest(terms, { ...documents(), perWord: 0.001 }, 1);
    expect([first!.row, first!.score]).toEqual([2_900, expect.closeTo(2 / 2.73, 9)]);
  });

  it("resets its state before each search, also after a failed one", () => {
    const search = createTermSearch();
    const { terms, documents } = makeSearch(
      [
        {
          gain: 1,
          entries: [
            [1, 1],
            [3, 1],
          ],
        },
      ],
      5,
    );
    const failing = documents(() => {
      throw new Error("no row");
    });
    expect(() => searchBest(terms, failing, 3, search)).toThrow("no row");
    const next = makeSearch([{ gain: 1, entries: [[3, 1]] }], 5);
    expect(searchBest(next.terms, next.documents(), 3, search)).toEqual([
      { row: 3, score: expect.closeTo(1 / 2.2, 9) },
    ]);
    expect(searchBest([], next.documents(), 3, search)).toEqual([]);
  });
});

describe("the lexical index in every state", () => {
  const names = Array.from({ length: 40 }, (_, n) => `w${n + 1}`);
  const random = createRandom(5);
  // Word n is held by about one row in n, as the words of a language are.
  const cells = Array.from({ length: 1_200 }, () => names.filter((_, n) => random() < 1 / (n + 1)));
  const compact = (index: LexicalIndex) => void finish(index.compact());

  it.each<[string, (index: LexicalIndex) => void]>([
    ["as it came", () => {}],
    ["compacted", compact],
    [
      "compacted, and grown since",
      (index) => {
        for (let row = 900; row < 1_200; row += 1) index.remove(row);
        compact(index);
        for (let row = 900; row < 1_200; row += 1) index.add(row, cells[row]!);
      },
    ],
    ["in the middle of being compacted", (index) => void index.compact().next()],
  ])("finds the best as if it had scored them all: %s", (_state, prepare) => {
    const index = createLexicalIndex({ mergeSlice: 100 });
    for (const [row, words] of cells.entries()) index.add(row, words);
    prepare(index);
    expect(index.rows().toSorted((a, b) => a - b)).toEqual(cells.map((_, row) => row));
    const average = cells.reduce((sum, cell) => sum + cell.length, 0) / cells.length;
    for (const [k, size] of [
      [1, 3],
      [5, 12],
      [3, 40],
    ] as const) {
      const query = names.filter((_, n) => n % Math.floor(40 / size) === 0);
      const naive = cells.map((cell) => {
        const soft = 1.2 * (0.6 + (0.4 * cell.length) / average);
        const held = query.filter((word) => cell.includes(word));
        return held.reduce((sum, word) => sum + (index.idf(word) * 2.2) / (1 + soft), 0);
      });
      const best = naive.toSorted((a, b) => b - a).slice(0, k);
      const hits = index.search({ words: new Map(query.map((word) => [word, 1])), k });
      expect(hits.map(({ score }) => score)).toEqual(best.map((score) => expect.closeTo(score, 4)));
      for (const { row, score } of hits) expect(score).toBeCloseTo(naive[row]!, 4);
    }
  });

  it("counts each word of a cell, and every cell that contains it, until it is compacted", () => {
    const index = createLexicalIndex();
    index.add(0, ["a", "a", "b"]);
    index.add(1, ["a"]);
    index.add(2, ["c"]);
    index.remove(2);
    // Three documents are still held.
    expect(index.idf("a")).toBeCloseTo(Math.log(1 + 1.5 / 2.5), 12);
    expect(index.idf("c")).toBeCloseTo(Math.log(1 + 2.5 / 1.5), 12);
    compact(index);
    expect(index.idf("a")).toBeCloseTo(Math.log(1 + 0.5 / 2.5), 12);
    expect(index.idf("c")).toBeCloseTo(Math.log(1 + 2.5 / 0.5), 12);
    const { segment, documents } = index.state;
    expect([documents, [...segment.documentFrequencies]]).toEqual([2, [2, 1, 0]]);
  });

  it("is compacted only if much was added or removed", () => {
    const tidied = (index: LexicalIndex) => {
      finish(index.tidy());
      return [index.state.documents, index.state.segment.documents];
    };
    const grown = createLexicalIndex({ maxAdded: 3 });
    for (const row of [0, 1, 2]) grown.add(row, ["a", "b", "c", "d", "e", "f"].slice(2 * row, 2 * row + 1));
    expect(tidied(grown)).toEqual([3, 0]);
    grown.add(3, ["g"]);
    expect(tidied(grown)).toEqual([4, 4]);
    const shrunk = createLexicalIndex({ maxRemoved: 2 });
    for (let row = 0; row < 6; row += 1) shrunk.add(row, ["a"]);
    for (const row of [0, 1, 2]) shrunk.remove(row);
    expect(tidied(shrunk)).toEqual([6, 0]);
    shrunk.remove(3);
    expect([tidied(shrunk), shrunk.size, shrunk.rows()]).toEqual([[2, 2], 2, [4, 5]]);
    const { segment } = shrunk.state;
    compact(shrunk);
    expect(shrunk.state.segment).toBe(segment);
  });

  it("grows beyond the first thousand rows and words", () => {
    const index = createLexicalIndex();
    for (let row = 0; row < 1_100; row += 1) index.add(row, [`w${row}`, `w${row}`, "all"]);
    const only = (word: string) => index.search({ words: new Map([[word, 1]]), k: 2 }).map(({ row }) => row);
    expect([only("w0"), only("w1023"), only("w1024"), only("w1099")]).toEqual([[0], [1_023], [1_024], [1_099]]);
    expect(index.size).toBe(1_100);
  });

  it("is emptied while it is compacted", () => {
    const index = createLexicalIndex({ mergeSlice: 1 });
    for (let row = 0; row < 3; row += 1) index.add(row, ["a", "b"]);
    const steps = index.compact();
    steps.next();
    // A second compaction does nothing while the first is running.
    expect(finish(index.compact()).turns).toBe(0);
    index.clear();
    index.add(7, ["b"]);
    finish(steps);
    expect(
      index
        .search({
          words: new Map([
            ["b", 1],
            ["a", 1],
          ]),
          k: 9,
        })
        .map(({ row }) => row),
    ).toEqual([7]);
  });

  it("finds no row for words with weight 0", () => {
    const index = createLexicalIndex();
    index.add(0, ["a"]);
    expect(index.search({ words: new Map([["a", 0]]), k: 3 })).toEqual([]);
    expect(index.search({ words: new Map([["a", -1]]), k: 3 })).toEqual([]);
  });
});
