import { describe, expect, it } from "vitest";
import { rankAll } from "../../src/recommend/continuing.js";
import type { RankedCandidate } from "../../src/recommend/rerank.js";
import { type CandidateOptions, diversify, gather, selectCandidates } from "../../src/recommend/select.js";
import type { Hit, StoredCell, VectorStore } from "../../src/store/vector-store.js";

const ranked = (ids: readonly string[]): RankedCandidate[] =>
  ids.map((id, at) => ({ id, score: ids.length - at, confidence: 0.5, why: () => ({ cosine: 1 }) }));

/** A store with every cell, but without the occurrences of removed cells. A copy has the text of its original. */
function createStore() {
  const asked: string[][] = [];
  const store = {
    cells: async (ids: readonly string[]) => {
      asked.push([...ids]);
      return ids.map((id) => ({ id, code: id, clean: id.replace("copy-", ""), labels: [], primary: null }));
    },
    provenance: async (ids: readonly string[]) =>
      new Map(
        ids.map((id) => {
          const first = id.startsWith("gone") ? null : { notebook: "n", source: "s", name: "n", cellIndex: 0 };
          return [id, { count: first === null ? 0 : 1, first }];
        }),
      ),
  } as unknown as VectorStore;
  return { store, asked };
}
const select = async (
  ids: readonly string[],
  count: number,
  diversity = 0,
  vectors = new Map<string, Float32Array>(),
) => {
  const { store, asked } = createStore();
  const found = await selectCandidates(store, rankAll(ranked(ids), 0), vectors, count, diversity, { collapse: true });
  return { found: found.map(({ cell }) => cell.id), asked, found0: found[0] };
};

describe("selectCandidates", () => {
  it("asks the store about the shown hits, and keeps the ranking", async () => {
    const { found, asked, found0 } = await select(["a", "b", "c", "d", "e"], 2);
    expect([found, asked]).toEqual([["a", "b"], [["a", "b"]]]);
    expect([found0!.confidence, found0!.why()]).toEqual([0.5, { cosine: 1 }]);
  });

  it("replaces removed cells, copies and rejected cells by later ones", async () => {
    expect((await select(["gone-1", "a", "copy-a", "b", "c"], 3)).found).toEqual(["a", "b", "c"]);
    const { store } = createStore();
    const options: CandidateOptions = { collapse: true, addedCode: ({ id }: { id: string }) => (id === "a" ? "" : id) };
    const found = await selectCandidates(store, rankAll(ranked(["a", "b"]), 0), new Map(), 2, 0, options);
    expect(found.map(({ cell }) => cell.id)).toEqual(["b"]);
  });

  it("computes the added code only of cells that would be shown", async () => {
    const { store } = createStore();
    const judged: string[] = [];
    const addedCode = ({ id }: { id: string }) => {
      judged.push(id);
      return id === "b" ? "" : id;
    };
    const options: CandidateOptions = { collapse: true, addedCode };
    const found = await selectCandidates(
      store,
      rankAll(ranked(["a", "b", "c", "d", "e"]), 0),
      new Map(),
      2,
      0,
      options,
    );
    expect(found.map(({ cell }) => cell.id)).toEqual(["a", "c"]);
    expect(judged).toEqual(["a", "b", "c"]);
  });

  it("skips a cell that was deleted since the search", async () => {
    const { store } = createStore();
    const without = {
      ...store,
      cells: async (ids: readonly string[]) => (await store.cells(ids)).filter(({ id }) => id !== "a"),
    };
    const found = await selectCandidates(without, rankAll(ranked(["a", "b", "c"]), 0), new Map(), 2, 0, {
      collapse: true,
    });
    expect(found.map(({ cell }) => cell.id)).toEqual(["b", "c"]);
  });

  it("lets diversity choose among ten times as many candidates", async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `c${at}`);
    // All cells are equal, except the tenth and the eleventh.
    const vectorOf = (at: number) => (at === 9 || at === 10 ? Float32Array.of(0, 1) : Float32Array.of(1, 0));
    const vectors = new Map(ids.map((id, at) => [id, vectorOf(at)]));
    expect((await select(ids, 1, 0.9, vectors)).found).toEqual(["c0"]);
    expect((await select(ids, 2, 0.9, vectors)).found).toEqual(["c0", "c9"]);
    const late = new Map(ids.map((id, at) => [id, at >= 20 ? Float32Array.of(0, 1) : Float32Array.of(1, 0)]));
    expect((await select(ids, 2, 0.9, late)).found).toEqual(["c0", "c1"]);
  });
});

const place = { notebook: "n", name: "n", cellIndex: 0 };
const toCell = (id: string): StoredCell => ({ id, code: id, clean: id, labels: [], primary: null });

/** A store with every cell; the test sets the result of a search. */
const store = {
  cells: async (ids: readonly string[]) => ids.map(toCell),
  provenance: async (ids: readonly string[]) =>
    new Map(ids.map((id) => [id, id.startsWith("gone") ? { count: 0, first: null } : { count: 1, first: place }])),
} as Pick<VectorStore, "cells" | "provenance"> as VectorStore;

const hits = (...ids: string[]): Hit[] => ids.map((id, at) => ({ id, score: 1 - at / 1000 }));

describe("gather", () => {
  it("asks for more until there are enough", async () => {
    const all = hits(...Array.from({ length: 50 }, (_, at) => `gone${at}`), "a", "b", "c");
    const asked: number[] = [];
    const search = async (k: number) => {
      asked.push(k);
      return all.slice(0, k);
    };
    const found = await gather(store, search, 2, { collapse: true });
    expect(found.map(({ cell }) => cell.id)).toEqual(["a", "b"]);
    expect(asked).toEqual([10, 20, 40, 80]);
  });

  it("shows no cell twice and the best first, if a larger search finds better ones", async () => {
    const gone = Array.from({ length: 9 }, (_, at) => `gone${at}`);
    const search = async (k: number) =>
      k === 10
        ? hits(...gone, "b")
        : hits("a", ...gone, "b", "c", ...Array.from({ length: 30 }, (_, at) => `gone-${at}`)).slice(0, k);
    const found = await gather(store, search, 2, { collapse: false });
    expect(found.map(({ cell }) => cell.id)).toEqual(["a", "b"]);
  });
});

const hit = (id: string, score: number, ...vector: number[]) => ({ id, score, vector: Float32Array.from(vector) });
const spread = [hit("a", 1, 1, 0), hit("copy", 0.9, 1, 0), hit("other", 0.5, 0, 1), hit("last", 0, 0.6, 0.8)];
const diversified = (k: number, diversity: number) => diversify(spread, k, diversity).map(({ id }) => id);

describe("diversify", () => {
  it("leaves the order at 0", () => {
    expect(diversified(3, 0)).toEqual(["a", "copy", "other"]);
  });

  it("weighs relevance against similarity to chosen hits", () => {
    // Scores after a was chosen: copy .5 x .9 - .5 x 1 = -.05, other .5 x .5 - 0 = .25, last 0 - .5 x .6 = -.3.
    expect(diversified(4, 0.5)).toEqual(["a", "other", "copy", "last"]);
  });

  it("takes the most dissimilar cells at 1", () => {
    expect(diversified(3, 1)).toEqual(["a", "other", "last"]);
  });

  it("returns all hits if there are fewer than k", () => {
    expect(diversify([], 3, 0.5)).toEqual([]);
    expect(diversified(9, 0.5)).toHaveLength(4);
    expect(
      diversify(
        [
          { id: "x", score: 1, vector: null },
          { id: "y", score: 1, vector: null },
        ],
        2,
        0.5,
      ),
    ).toHaveLength(2);
  });
});
