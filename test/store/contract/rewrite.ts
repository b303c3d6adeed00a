import { describe, expect, it } from "vitest";
import type { IndexIdentity, Revision, StoredCell } from "../../../src/store/vector-store.js";
import { byId, type CreatePlace, cell, expectSoon, ids, notebook, put, sha, stored, usePlaces } from "./fixtures.js";

const A = cell("a = load()", [1, 0, 0, 0], ["load"]);
const B = cell("plot(b)", [0, 1, 0, 0], ["plot"]);
const C = cell("c.fit()", [0, 0, 1, 0], ["plot", "train"]);
const NEXT: IndexIdentity = { embedder: "next@2", dimensions: 2, labeller: "next-rules@2", labels: ["fit", "look"] };

export function describeRewrite(createPlace: CreatePlace): void {
  describe("rewrite", () => {
    const { newPlace } = usePlaces(createPlace);

    it("gives every cell new labels and a new vector, of another dimension", async () => {
      const place = await newPlace();
      const old = place.open();
      const one = notebook("one.ipynb", [A, B, C], "v1", 1);
      await put(old, [one, notebook("two.ipynb", [B])]);
      await old.close();
      const store = place.open(NEXT);
      const seen: StoredCell[] = [];
      const revised: Record<string, Revision> = {
        [A.id]: { labels: [], primary: null, vector: Float32Array.of(1, 0) },
        [B.id]: { labels: ["look"], primary: "look", vector: Float32Array.of(0.6, 0.8) },
        [C.id]: { labels: ["fit", "look"], primary: "look", vector: Float32Array.of(0, 2) },
      };
      await store.rewrite(async (cells) => {
        seen.push(...cells);
        return cells.map(({ id }) => revised[id]!);
      });
      expect(seen.sort(byId)).toEqual([A, B, C].map(stored).sort(byId));
      const found = await store.search({ vector: Float32Array.of(0, 1), k: 5, strong: true });
      expect(ids(found)).toEqual(ids([C, B, A]));
      for (const [rank, score] of [1, 0.8, 0].entries()) expect(found[rank]!.score).toBeCloseTo(score, 6);
      const filter = { field: "primary", any: ["look"], unlabelled: false } as const;
      const looking = await store.search({ vector: Float32Array.of(0, 1), k: 5, filter, strong: true });
      expect(ids(looking)).toEqual(ids([C, B]));
      const after = { ...stored(C), labels: ["fit", "look"], primary: "look" };
      await expectSoon(store, () => store.cells([C.id]), [after]);
      await expectSoon(store, () => store.vectors([C.id]), new Map([[C.id, Float32Array.of(0, 2)]]));
      expect(await store.notebook(one.notebook.id)).toEqual(one.notebook);
      await expectSoon(store, store.counts, { cells: 3, notebooks: 2, occurrences: 4, labels: { fit: 1, look: 2 } });
      await store.close();
      await expect(place.open().open()).rejects.toMatchObject({ code: "INDEX_MISMATCH" });
      expect(await place.open(NEXT).missing(ids([A, B, C]))).toEqual(new Set());
    });

    it("removes a cell with its occurrences if the revision is null, and counts those as skipped", async () => {
      const place = await newPlace();
      const store = place.open();
      await put(store, [notebook("one.ipynb", [A, B, A, C], "v1", 1), notebook("two.ipynb", [A])]);
      await store.rewrite(async (cells) =>
        cells.map(({ id, labels, primary }) =>
          id === A.id ? null : { labels, primary, vector: Float32Array.of(0, 0, 0, 1) },
        ),
      );
      expect(await store.missing(ids([A, B, C]))).toEqual(new Set([A.id]));
      const { id, source, name, version, facts } = notebook("one.ipynb", []).notebook;
      const cells = [
        { cellIndex: 2, id: B.id },
        { cellIndex: 6, id: C.id },
      ];
      expect(await store.notebook(id)).toEqual({ id, source, name, version, skipped: 3, cells, facts });
      const two = notebook("two.ipynb", [], "v1", 1).notebook;
      expect(await store.notebook(two.id)).toEqual(two);
      const summaries = [
        { id, source, name, cells: 2, skipped: 3 },
        { id: two.id, source, name: "two.ipynb", cells: 0, skipped: 1 },
      ];
      await expectSoon(store, () => store.notebooks({ limit: 5 }), summaries.sort(byId));
      await expectSoon(store, () => store.occurrences(A.id, { limit: 1_000 }), []);
      const labels = { load: 0, plot: 2, train: 1 };
      await expectSoon(store, store.counts, { cells: 2, notebooks: 2, occurrences: 2, labels });
    });

    it("shows readers the old state while it runs, and keeps it if it fails", async () => {
      const place = await newPlace();
      const reader = place.open();
      const cells = Array.from({ length: 30 }, (_, index) => cell(`cell ${index}`, [1, 0, 0, 0], ["load"]));
      await put(reader, [notebook("one.ipynb", cells)]);
      const writer = place.open(NEXT);
      const search = () => reader.search({ vector: Float32Array.of(1, 0, 0, 0), k: 100, strong: true });
      const before = await search();
      expect(before.length).toBe(30);
      const failing = writer.rewrite(async (some) => {
        expect(await search()).toEqual(before);
        if (some.length > 0) throw new Error("the model broke");
        return [];
      });
      await expect(failing).rejects.toThrow("the model broke");
      expect(await search()).toEqual(before);
      await writer.rewrite(async (some) => {
        expect(await search()).toEqual(before);
        return some.map(() => ({ labels: [], primary: null, vector: Float32Array.of(1, 1) }));
      });
      expect((await writer.search({ vector: Float32Array.of(1, 1), k: 100, strong: true })).length).toBe(30);
      expect(await writer.missing([sha("cell 0"), sha("unknown")])).toEqual(new Set([sha("unknown")]));
    });

    it("rewrites an empty index", async () => {
      const place = await newPlace();
      await place.open().open();
      const store = place.open(NEXT);
      await store.rewrite(async (cells) => cells.map(() => null));
      expect(await store.search({ vector: Float32Array.of(1, 1), k: 3, strong: true })).toEqual([]);
    });
  });
}
