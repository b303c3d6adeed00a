import { describe, expect, it } from "vitest";
import { MAX_NEXT_CELLS, type StoredCell } from "../../../src/store/vector-store.js";
import {
  byId,
  type CreatePlace,
  cell,
  createRandom,
  expectSoon,
  ids,
  notebook,
  occurrence as occurrenceAt,
  put,
  randomCells,
  sha,
  stored,
  summary,
  usePlaces,
} from "./fixtures.js";

const A = cell("a = load()", [1, 0, 0, 0], ["load"]);
const B = cell("plot(b)", [0, 1, 0, 0], ["plot"]);

export function describeReading(createPlace: CreatePlace): void {
  describe("reading", () => {
    const { newStore } = usePlaces(createPlace);

    it("answers from an empty index", async () => {
      const store = await newStore();
      expect(await store.search({ vector: Float32Array.of(1, 0, 0, 0), k: 3 })).toEqual([]);
      expect(await store.cells([A.id])).toEqual([]);
      expect(await store.vectors([A.id])).toEqual(new Map());
      expect(await store.provenance([A.id])).toEqual(new Map());
      expect(await store.occurrences(A.id, { limit: 1_000 })).toEqual([]);
      expect(await store.missing([A.id])).toEqual(new Set([A.id]));
      expect(await store.missing([])).toEqual(new Set());
      expect(await store.notebook(sha("one.ipynb"))).toBe(null);
      expect(await store.notebooks({ limit: 5 })).toEqual([]);
      expect(await store.remove(sha("one.ipynb"))).toBe(false);
      const labels = { load: 0, plot: 0, train: 0 };
      expect(await store.counts()).toEqual({ cells: 0, notebooks: 0, occurrences: 0, labels });
    });

    it("returns cells in the order of the ids, without unknown ids", async () => {
      const store = await newStore();
      const cells = randomCells(40, createRandom(1), ["load"]);
      await put(store, [notebook("one.ipynb", cells)]);
      const asked = [...cells].reverse();
      expect(await store.cells([sha("unknown"), ...ids(asked)])).toEqual(asked.map(stored));
      expect(await store.vectors([sha("unknown"), ...ids(asked)])).toEqual(
        new Map(asked.map(({ id, vector }) => [id, vector])),
      );
      expect(await store.missing([sha("unknown"), ...ids(cells)])).toEqual(new Set([sha("unknown")]));
    });

    it("scans every cell once", async () => {
      const store = await newStore();
      const cells = randomCells(600, createRandom(3));
      await put(store, [notebook("a", cells)]);
      await expectSoon(
        store,
        async () => {
          const found: StoredCell[] = [];
          for await (const batch of store.scan()) found.push(...batch);
          return found.sort(byId);
        },
        cells.map(stored).sort(byId),
      );
    });

    it("knows every occurrence of a cell, by (source, name, cellIndex)", async () => {
      const store = await newStore();
      await put(store, [
        notebook("z.ipynb", [A]),
        notebook("b.ipynb", [B, A, A]),
        notebook("B.ipynb", [B, B, B, B, B, B, A]),
      ]);
      const occurrences = [
        occurrenceAt("B.ipynb", 12),
        occurrenceAt("b.ipynb", 2),
        occurrenceAt("b.ipynb", 4),
        occurrenceAt("z.ipynb", 0),
      ];
      await expectSoon(store, () => store.occurrences(A.id, { limit: 1_000 }), occurrences);
      expect(await store.occurrences(sha("unknown"), { limit: 1_000 })).toEqual([]);
    });

    it("pages through the occurrences of a cell", async () => {
      const store = await newStore();
      const writes = Array.from({ length: 12 }, (_, at) =>
        notebook(`${String.fromCharCode(97 + at)}.ipynb`, [A, B, A]),
      );
      await put(store, [...writes].reverse());
      const all = writes.flatMap((write) => [0, 4].map((cellIndex) => occurrenceAt(write.notebook.name, cellIndex)));
      await expectSoon(store, () => store.occurrences(A.id, { limit: 5 }), all.slice(0, 5));
      await expectSoon(store, () => store.occurrences(A.id, { offset: 5, limit: 10 }), all.slice(5, 15));
      await expectSoon(store, () => store.occurrences(A.id, { offset: 20, limit: 10 }), all.slice(20));
      await expectSoon(store, () => store.occurrences(A.id, { offset: 24, limit: 10 }), []);
      await store.remove(sha("a.ipynb"));
      await expectSoon(store, () => store.occurrences(A.id, { limit: 1 }), all.slice(2, 3));
      const count = async () => (await store.provenance([A.id])).get(A.id)?.count;
      await expectSoon(store, count, 22);
    });

    it("orders occurrences by source first", async () => {
      const store = await newStore();
      const inSource = (source: string, name: string) => {
        const write = notebook(name, [A]);
        return { ...write, notebook: { ...write.notebook, id: sha(`${source} ${name}`), source } };
      };
      await put(store, [inSource("b", "1.ipynb"), inSource("a", "2.ipynb"), inSource("ab", "0.ipynb")]);
      const told = async () =>
        (await store.occurrences(A.id, { limit: 9 })).map(({ source, name }) => `${source} ${name}`);
      await expectSoon(store, told, ["a 2.ipynb", "ab 0.ipynb", "b 1.ipynb"]);
    });

    it("knows the next cell of a cell", async () => {
      const store = await newStore();
      const C = cell("c = 3", [0, 0, 1, 0]);
      await put(store, [notebook("a.ipynb", [A, B, A, C]), notebook("b.ipynb", [A, B]), notebook("c.ipynb", [C, A])]);
      const nextCells = (asked: string[], exclude?: Parameters<typeof store.nextCells>[1]) => async () =>
        (await store.nextCells(asked, exclude)).map(({ before, id }) => `${before} ${id}`).sort();
      const pairs = (...expected: [typeof A, typeof A][]) => expected.map(([a, b]) => `${a.id} ${b.id}`).sort();
      await expectSoon(store, nextCells([A.id, sha("unknown")]), pairs([A, B], [A, C]));
      await expectSoon(store, nextCells([B.id, C.id]), pairs([B, A], [C, A]));
      await expectSoon(store, nextCells([A.id], { notebooks: [sha("a.ipynb")] }), pairs([A, B]));
      // The occurrence at 6 is the query's own, so it must not be returned.
      const occurrence = { notebook: sha("a.ipynb"), cellIndex: 6 };
      await expectSoon(store, nextCells([A.id], { occurrence }), pairs([A, B]));
      expect(await store.nextCells([])).toEqual([]);
    });

    it("reads the next cells of only a few occurrences of a frequent cell", async () => {
      const store = await newStore();
      const behind = Array.from({ length: MAX_NEXT_CELLS + 3 }, (_, at) => cell(`behind_${at} = 1`));
      await put(
        store,
        behind.map((next, at) => notebook(`${at}.ipynb`, [A, next])),
      );
      await expectSoon(store, async () => (await store.nextCells([A.id])).length, MAX_NEXT_CELLS);
    });

    it("shows the first occurrence that is not excluded", async () => {
      const store = await newStore();
      await put(store, [notebook("a.ipynb", [A]), notebook("b.ipynb", [B, A, A]), notebook("c.ipynb", [A])]);
      const provenance = (exclude?: Parameters<typeof store.provenance>[1]) => async () =>
        (await store.provenance([A.id, sha("unknown")], exclude)).get(A.id);
      await expectSoon(store, provenance(), { count: 4, first: occurrenceAt("a.ipynb", 0) });
      await expectSoon(store, provenance({ notebooks: [sha("a.ipynb")] }), {
        count: 3,
        first: occurrenceAt("b.ipynb", 2),
      });
      const occurrence = { notebook: sha("b.ipynb"), cellIndex: 2 };
      await expectSoon(store, provenance({ occurrence }), { count: 3, first: occurrenceAt("a.ipynb", 0) });
      const both = { notebooks: [sha("a.ipynb"), sha("unknown")], occurrence };
      await expectSoon(store, provenance(both), { count: 2, first: occurrenceAt("b.ipynb", 4) });
      const all = { notebooks: ["a.ipynb", "b.ipynb", "c.ipynb"].map(sha) };
      await expectSoon(store, provenance(all), { count: 0, first: null });
      expect([...(await store.provenance([A.id, sha("unknown"), B.id])).keys()].sort()).toEqual(ids([A, B]).sort());
    });

    it("pages through the notebooks in the order of their ids", async () => {
      const store = await newStore();
      const writes = Array.from({ length: 25 }, (_, index) =>
        notebook(`${index}.ipynb`, index % 2 ? [A, B] : [B], "v1", index),
      );
      await put(store, writes);
      const expected = writes.map((write) => summary(write.notebook)).sort(byId);
      await expectSoon(store, () => store.notebooks({ limit: 100 }), expected);
      const pages = [];
      for (let after: string | undefined; ; ) {
        const page = await store.notebooks(after === undefined ? { limit: 10 } : { after, limit: 10 });
        pages.push(page);
        after = page.at(-1)?.id;
        if (after === undefined) break;
      }
      expect(pages).toEqual([expected.slice(0, 10), expected.slice(10, 20), expected.slice(20), []]);
    });

    it("counts cells once, occurrences each, and a cell under each of its labels", async () => {
      const store = await newStore();
      const both = cell("both", [1, 1, 0, 0], ["plot", "train"]);
      const none = cell("none", [1, 1, 1, 0]);
      await put(store, [notebook("one.ipynb", [A, both, both, none]), notebook("two.ipynb", [A, B])]);
      const labels = { load: 1, plot: 2, train: 1 };
      await expectSoon(store, store.counts, { cells: 4, notebooks: 2, occurrences: 6, labels });
    });
  });
}
