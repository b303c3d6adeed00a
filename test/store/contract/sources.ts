import { describe, expect, it } from "vitest";
import type { NotebookFilter } from "../../../src/store/vector-store.js";
import {
  type CreatePlace,
  cell,
  createRandom,
  expectedHits,
  expectHits,
  expectSoon,
  ids,
  type NotebookWrite,
  notebook,
  put,
  randomCells,
  sha,
  usePlaces,
} from "./fixtures.js";

const A = cell("a = load()", [1, 0, 0, 0], ["load"]);
const B = cell("plot(b)", [0, 1, 0, 0], ["plot"]);
const C = cell("c.fit()", [0, 0, 1, 0], ["train"]);
const X = Float32Array.of(1, 0, 0, 0);

/** The same notebook in another source, with votes if they are known. */
function inSource(source: string, name: string, cells: Parameters<typeof notebook>[1], votes?: number): NotebookWrite {
  const write = notebook(name, cells, "v1", 1);
  const facts = votes === undefined ? {} : { votes };
  return { ...write, notebook: { ...write.notebook, id: sha(`${source}\n${name}`), source, facts } };
}

export function describeSources(createPlace: CreatePlace): void {
  describe("sources", () => {
    const { newStore } = usePlaces(createPlace);

    it("are listed with their counts, by name", async () => {
      const store = await newStore();
      expect(await store.sources()).toEqual([]);
      await put(store, [inSource("b", "1", [A, B]), inSource("a/ü \"'\\", "1", [A]), inSource("b", "2", [A, A])]);
      await expectSoon(store, store.sources, [
        { source: "a/ü \"'\\", notebooks: 1, cells: 1, skipped: 1 },
        { source: "b", notebooks: 2, cells: 4, skipped: 2 },
      ]);
    });

    it("are removed completely, or except for kept notebooks", async () => {
      const store = await newStore();
      const many = Array.from({ length: 300 }, (_, at) => inSource("many", `${at}`, [A, B]));
      await put(store, [...many, inSource("other", "1", [B, C])]);
      expect(await store.removeSource("unknown")).toBe(0);
      const kept = many[7]!.notebook.id;
      expect(await store.removeSource("many", { isKept: (id) => id === kept })).toBe(299);
      expect(await store.notebook(kept)).toEqual(many[7]!.notebook);
      expect(await store.removeSource("many")).toBe(1);
      await expectSoon(store, store.sources, [{ source: "other", notebooks: 1, cells: 2, skipped: 1 }]);
      const all = { vector: Float32Array.of(1, 1, 1, 1), k: 10, strong: true };
      expect(new Set(ids(await store.search(all)))).toEqual(new Set(ids([B, C])));
      expect(await store.removeSource("other", { signal: AbortSignal.abort() })).toBe(0);
    });

    it("and votes filter a search, and the provenance of its hits", async () => {
      const store = await newStore();
      await put(store, [
        inSource("one", "1", [A, B], 3),
        inSource("two", "1", [B, C], 10),
        inSource("two", "2", [C, A]),
        inSource("three", "1", [cell("d = 4", [0, 0, 0, 1])], 0),
      ]);
      const found = (notebooks: NotebookFilter) => async () => {
        const all = { vector: Float32Array.of(1, 0.9, 0.8, 0.7), k: 10, strong: true, notebooks };
        return ids(await store.search(all));
      };
      await expectSoon(store, found({ sources: ["one"] }), ids([A, B]));
      await expectSoon(store, found({ sources: ["two", "unknown"] }), ids([A, B, C]));
      await expectSoon(store, found({ sources: [] }), []);
      await expectSoon(store, found({ minVotes: 1 }), ids([A, B, C]));
      await expectSoon(store, found({ minVotes: 4 }), ids([B, C]));
      await expectSoon(store, found({ minVotes: 4, sources: ["one", "three"] }), []);
      expect((await found({ minVotes: 0 })()).length).toBe(4);
      const filter = { field: "labels" as const, any: ["load"], unlabelled: false };
      const labelled = { vector: X, k: 9, strong: true, filter, notebooks: { sources: ["two"] } };
      await expectSoon(store, async () => ids(await store.search(labelled)), [A.id]);

      const told = (outside: NotebookFilter) => async () => {
        const { count = 0, first = null } = (await store.provenance([A.id], { outside })).get(A.id) ?? {};
        return [count, first && `${first.source} ${first.name}`];
      };
      await expectSoon(store, told({}), [2, "one 1"]);
      await expectSoon(store, told({ sources: ["two"] }), [1, "two 2"]);
      await expectSoon(store, told({ minVotes: 2 }), [1, "one 1"]);
      await expectSoon(store, told({ minVotes: 4 }), [0, null]);
      await expectSoon(store, told({ sources: [] }), [0, null]);
      const behind = async () => ids(await store.nextCells([A.id, B.id], { outside: { sources: ["two"] } }));
      await expectSoon(store, behind, [C.id]);
      const words = { words: new Map([["load", 1]]), k: 9 };
      const byWords = async () => (await store.lexical({ ...words, notebooks: { sources: ["two"] } })) ?? [A];
      await expectSoon(store, async () => ids(await byWords()), [A.id]);
      const notThere = async () => (await store.lexical({ ...words, notebooks: { sources: ["three"] } })) ?? [];
      expect(ids(await notThere())).toEqual([]);
    });

    it("do not lose results: all cells of a rare source are found among many cells", async () => {
      const store = await newStore();
      const random = createRandom(11);
      const common = randomCells(3_000, random, ["load"]);
      const rare = Array.from({ length: 5 }, (_, at) => cell(`rare ${at}`, [-1, random(), 0, 0], ["train"]));
      const half = [...common.slice(0, 1_500), ...rare];
      await put(store, [inSource("common", "1", common), inSource("rare", "1", rare), inSource("half", "1", half)]);
      const search = (k: number, source: string) =>
        store.search({ vector: X, k, strong: true, notebooks: { sources: [source] } });
      for (const k of [3, 5, 50]) expectHits(await search(k, "rare"), expectedHits(rare, X, k));
      for (const k of [3, 1_505]) expectHits(await search(k, "half"), expectedHits(half, X, k));
    });

    it("are read again after a change", async () => {
      const store = await newStore();
      const search = async () =>
        ids(await store.search({ vector: X, k: 9, strong: true, notebooks: { sources: ["s"] } }));
      await put(store, [inSource("s", "1", [A])]);
      await expectSoon(store, search, [A.id]);
      await put(store, [inSource("s", "2", [B])]);
      await expectSoon(store, search, ids([A, B]));
      await store.remove(sha("s\n1"));
      await expectSoon(store, search, [B.id]);
    });
  });
}
