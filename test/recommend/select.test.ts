import { describe, expect, it } from "vitest";
import type { RankedCandidate } from "../../src/recommend/rerank.js";
import { selectCandidates } from "../../src/recommend/select.js";
import type { VectorStore } from "../../src/store/vector-store.js";

const ranked = (ids: readonly string[]): RankedCandidate[] =>
  ids.map((id, at) => ({ id, score: ids.length - at, confidence: 0.5, why: () => ({ cosine: 1 }) }));

/** Knows every cell, but no occurrence of those that are gone; a copy has the text of its original. */
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
  const found = await selectCandidates(store, ranked(ids), vectors, count, diversity, { collapse: true });
  return { found: found.map(({ cell }) => cell.id), asked, found0: found[0] };
};

describe("selectCandidates", () => {
  it("asks the store about those that it would show, and keeps what the ranking said", async () => {
    const { found, asked, found0 } = await select(["a", "b", "c", "d", "e"], 2);
    expect([found, asked]).toEqual([["a", "b"], [["a", "b"]]]);
    expect([found0!.confidence, found0!.why()]).toEqual([0.5, { cosine: 1 }]);
  });

  it("chooses again behind cells that are gone, copies, and what is not accepted", async () => {
    expect((await select(["gone-1", "a", "copy-a", "b", "c"], 3)).found).toEqual(["a", "b", "c"]);
    const { store } = createStore();
    const options = { collapse: true, brings: ({ id }: { id: string }) => (id === "a" ? "" : id) };
    const found = await selectCandidates(store, ranked(["a", "b"]), new Map(), 2, 0, options);
    expect(found.map(({ cell }) => cell.id)).toEqual(["b"]);
  });

  it("finds out what a cell brings only where it would be shown", async () => {
    const { store } = createStore();
    const judged: string[] = [];
    const brings = ({ id }: { id: string }) => {
      judged.push(id);
      return id === "b" ? "" : id;
    };
    const options = { collapse: true, brings };
    const found = await selectCandidates(store, ranked(["a", "b", "c", "d", "e"]), new Map(), 2, 0, options);
    expect(found.map(({ cell }) => cell.id)).toEqual(["a", "c"]);
    expect(judged).toEqual(["a", "b", "c"]);
  });

  it("passes over a cell that was removed while it was looked for", async () => {
    const { store } = createStore();
    const without = {
      ...store,
      cells: async (ids: readonly string[]) => (await store.cells(ids)).filter(({ id }) => id !== "a"),
    };
    const found = await selectCandidates(without, ranked(["a", "b", "c"]), new Map(), 2, 0, { collapse: true });
    expect(found.map(({ cell }) => cell.id)).toEqual(["b", "c"]);
  });

  it("lets diversity choose among ten times as many", async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `c${at}`);
    // All alike but the tenth and the eleventh.
    const vectorOf = (at: number) => (at === 9 || at === 10 ? Float32Array.of(0, 1) : Float32Array.of(1, 0));
    const vectors = new Map(ids.map((id, at) => [id, vectorOf(at)]));
    expect((await select(ids, 1, 0.9, vectors)).found).toEqual(["c0"]);
    expect((await select(ids, 2, 0.9, vectors)).found).toEqual(["c0", "c9"]);
    const late = new Map(ids.map((id, at) => [id, at >= 20 ? Float32Array.of(0, 1) : Float32Array.of(1, 0)]));
    expect((await select(ids, 2, 0.9, late)).found).toEqual(["c0", "c1"]);
  });
});
