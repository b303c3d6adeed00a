import { describe, expect, it } from "vitest";
import {
  type CreatePlace,
  cell,
  expectSoon,
  ids,
  notebook,
  occurrence,
  put,
  sha,
  stored,
  usePlaces,
} from "./fixtures.js";

const A = cell("a = load()", [1, 0, 0, 0], ["load"]);
const B = cell("plot(b)", [0, 1, 0, 0], ["plot"]);
const C = cell("c.fit()", [0, 0, 1, 0], ["train", "plot"]);
const EVERYTHING = { vector: Float32Array.of(1, 1, 1, 1), k: 100, strong: true };

export function describeNotebooks(createPlace: CreatePlace): void {
  describe("writing and removing notebooks", () => {
    const { newStore } = usePlaces(createPlace);

    it("returns what was written", async () => {
      const store = await newStore();
      const one = notebook("one.ipynb", [A, B, C], "v1", 2);
      await put(store, [one]);
      expect(await store.notebook(one.notebook.id)).toEqual(one.notebook);
      expect(await store.cells(ids([C, A, B]))).toEqual([C, A, B].map(stored));
      expect(await store.vectors([B.id])).toEqual(new Map([[B.id, B.vector]]));
    });

    it("changes nothing when the same notebook is written again", async () => {
      const store = await newStore();
      const one = notebook("one.ipynb", [A, B]);
      const before = { cells: 2, notebooks: 1, occurrences: 2, labels: { load: 1, plot: 1, train: 0 } };
      await put(store, [one]);
      await expectSoon(store, store.counts, before);
      await put(store, [one]);
      await put(store, [{ notebook: one.notebook, cells: [] }]);
      await expectSoon(store, store.counts, before);
      expect(await store.notebook(one.notebook.id)).toEqual(one.notebook);
      expect((await store.search(EVERYTHING)).length).toBe(2);
    });

    it("replaces an older version: orphaned cells are deleted, shared cells are kept", async () => {
      const store = await newStore();
      await put(store, [notebook("one.ipynb", [A, B, C]), notebook("two.ipynb", [B])]);
      const newer = notebook("one.ipynb", [C], "v2", 1);
      await put(store, [{ notebook: newer.notebook, cells: [] }]);
      expect(await store.notebook(newer.notebook.id)).toEqual(newer.notebook);
      expect(await store.missing(ids([A, B, C]))).toEqual(new Set([A.id]));
      expect(new Set(ids(await store.search(EVERYTHING)))).toEqual(new Set(ids([B, C])));
      const labels = { load: 0, plot: 2, train: 1 };
      await expectSoon(store, store.counts, { cells: 2, notebooks: 2, occurrences: 2, labels });
      await expectSoon(store, () => store.occurrences(B.id, { limit: 1_000 }), [occurrence("two.ipynb", 0)]);
      await expectSoon(store, () => store.occurrences(C.id, { limit: 1_000 }), [occurrence("one.ipynb", 0)]);
    });

    it("keeps a cell that moves from one notebook to another in one write", async () => {
      const store = await newStore();
      await put(store, [notebook("one.ipynb", [A]), notebook("two.ipynb", [B])]);
      const swapped = [notebook("one.ipynb", [B], "v2"), notebook("two.ipynb", [A], "v2")];
      await put(
        store,
        swapped.map((write) => ({ ...write, cells: [] })),
      );
      expect(await store.missing(ids([A, B]))).toEqual(new Set());
      for (const write of swapped) expect(await store.notebook(write.notebook.id)).toEqual(write.notebook);
    });

    it("removes a notebook and the cells that only it contains", async () => {
      const store = await newStore();
      await put(store, [notebook("one.ipynb", [A, B]), notebook("two.ipynb", [B, C])]);
      expect(await store.remove(sha("one.ipynb"))).toBe(true);
      expect(await store.notebook(sha("one.ipynb"))).toBe(null);
      expect(await store.missing(ids([A, B, C]))).toEqual(new Set([A.id]));
      expect(await store.remove(sha("one.ipynb"))).toBe(false);
      const labels = { load: 0, plot: 2, train: 1 };
      await expectSoon(store, store.counts, { cells: 2, notebooks: 1, occurrences: 2, labels });
      await expectSoon(store, () => store.cells(ids([A, B, C])), [B, C].map(stored));
    });

    it("stores a removed notebook again", async () => {
      const store = await newStore();
      const one = notebook("one.ipynb", [A, B]);
      await put(store, [one]);
      await store.remove(one.notebook.id);
      await put(store, [one]);
      expect(await store.notebook(one.notebook.id)).toEqual(one.notebook);
      expect(await store.missing(ids([A, B]))).toEqual(new Set());
      expect((await store.search(EVERYTHING)).length).toBe(2);
    });

    it("holds a notebook without cells", async () => {
      const store = await newStore();
      const empty = notebook("empty.ipynb", [], "v1", 3);
      await put(store, [empty]);
      expect(await store.notebook(empty.notebook.id)).toEqual(empty.notebook);
      const summaries = [{ id: empty.notebook.id, source: "corpus", name: "empty.ipynb", cells: 0, skipped: 3 }];
      await expectSoon(store, () => store.notebooks({ limit: 10 }), summaries);
      expect(await store.remove(empty.notebook.id)).toBe(true);
      expect(await store.notebook(empty.notebook.id)).toBe(null);
    });

    it("replaces a notebook by one without cells", async () => {
      const store = await newStore();
      await put(store, [notebook("one.ipynb", [A, B])]);
      const emptied = notebook("one.ipynb", [], "v2", 2);
      await put(store, [emptied]);
      expect(await store.notebook(emptied.notebook.id)).toEqual(emptied.notebook);
      expect(await store.missing(ids([A, B]))).toEqual(new Set(ids([A, B])));
      expect(await store.search(EVERYTHING)).toEqual([]);
    });

    it("holds a notebook with 1,500 cells, and replaces it", async () => {
      const store = await newStore();
      const many = Array.from({ length: 1500 }, (_, index) => cell(`x${index} = ${index}`, [1, index, 0, 0]));
      const long = notebook("long.ipynb", many);
      await put(store, [long]);
      expect(await store.notebook(long.notebook.id)).toEqual(long.notebook);
      expect(await store.missing(ids(many))).toEqual(new Set());
      const short = notebook("long.ipynb", many.slice(1000), "v2");
      await put(store, [{ ...short, cells: [] }]);
      expect(await store.notebook(short.notebook.id)).toEqual(short.notebook);
      expect(await store.missing(ids(many))).toEqual(new Set(ids(many.slice(0, 1000))));
    });

    it("keeps a cell that one notebook adds while another drops it, in either order", async () => {
      const store = await newStore();
      for (let round = 0; round < 10; round += 1) {
        const shared = cell(`shared ${round}`, [1, round, 0, 0]);
        await put(store, [notebook("gone.ipynb", [shared], `v${round}`)]);
        const kept = notebook(`kept ${round}.ipynb`, [shared]);
        await Promise.all(
          round % 2 === 0
            ? [store.remove(sha("gone.ipynb")), put(store, [kept])]
            : [put(store, [kept]), store.remove(sha("gone.ipynb"))],
        );
        expect(await store.notebook(kept.notebook.id)).toEqual(kept.notebook);
        expect(await store.cells([shared.id])).toEqual([stored(shared)]);
      }
      expect(await store.notebook(sha("gone.ipynb"))).toBe(null);
      const labels = { load: 0, plot: 0, train: 0 };
      await expectSoon(store, store.counts, { cells: 10, notebooks: 10, occurrences: 10, labels });
    });

    it("reports added and replaced cells, and the labels of all", async () => {
      const store = await newStore();
      const first = await put(store, [notebook("one.ipynb", [A, B])]);
      expect(first.added).toEqual(new Set(ids([A, B])));
      expect(first.replaced).toEqual(new Set());
      const second = await put(store, [notebook("one.ipynb", [A, C], "v2"), notebook("two.ipynb", [A])]);
      expect(second.added).toEqual(new Set([C.id]));
      expect(second.replaced).toEqual(new Set([sha("one.ipynb")]));
      expect((await put(store, [notebook("two.ipynb", [A])])).replaced).toEqual(new Set());
      expect(second.labels).toEqual(
        new Map([
          [A.id, A.labels],
          [C.id, C.labels],
        ]),
      );
    });

    it("empties itself", async () => {
      const store = await newStore();
      await put(store, [notebook("one.ipynb", [A, B])]);
      await store.clear();
      const labels = { load: 0, plot: 0, train: 0 };
      await expectSoon(store, store.counts, { cells: 0, notebooks: 0, occurrences: 0, labels });
      expect(await store.search(EVERYTHING)).toEqual([]);
      expect(await store.notebook(sha("one.ipynb"))).toBe(null);
      await put(store, [notebook("one.ipynb", [A])]);
      expect(ids(await store.search(EVERYTHING))).toEqual([A.id]);
    });
  });
}
