import { describe, expect, it } from "vitest";
import type { VectorStore } from "../../../src/store/vector-store.js";
import {
  type CreatePlace,
  cell,
  expectSoon,
  ids,
  type NotebookWrite,
  notebook,
  put,
  sha,
  usePlaces,
} from "./fixtures.js";

const ROUNDS = 3;
const SHARED = cell("shared = load()", [1, 0, 0, 0], ["load"]);
const X = Float32Array.of(1, 0, 0, 0);

export function describeWriters(createPlace: CreatePlace): void {
  describe("changes at the same time", () => {
    const { newStore } = usePlaces(createPlace);

    it("keeps a cell that one notebook adds while its last other notebook is removed", async () => {
      const store = await newStore();
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = [notebook(`a${round}.ipynb`, [SHARED]), notebook(`b${round}.ipynb`, [SHARED])];
        await put(store, [a]);
        const [removed] = await Promise.all([store.remove(a.notebook.id), put(store, [b])]);
        expect(removed).toBe(true);
        await expectWhole(store, b);
        expect(ids(await store.search({ vector: X, k: 5, strong: true }))).toEqual([SHARED.id]);
        await store.remove(b.notebook.id);
      }
      expect(await store.search({ vector: X, k: 5, strong: true })).toEqual([]);
    });

    it("keeps a cell that one notebook adds while a newer version of another drops it", async () => {
      const store = await newStore();
      const other = cell("other = 1", [0, 1, 0, 0]);
      for (let round = 0; round < ROUNDS; round++) {
        const b = notebook("b.ipynb", round % 2 === 0 ? [SHARED] : [other], `v${round}`);
        const a = notebook("a.ipynb", round % 2 === 0 ? [other] : [SHARED], `v${round}`);
        await Promise.all([put(store, [a]), put(store, [b])]);
        await Promise.all([expectWhole(store, a), expectWhole(store, b)]);
        expect(ids(await store.search({ vector: X, k: 5, strong: true }))).toEqual(ids([SHARED, other]));
      }
    });

    it("leaves one of two versions completely, and nothing of the other", async () => {
      const store = await newStore();
      const versions = ["v1", "v2", "v3"].map((version) =>
        notebook("one.ipynb", [cell(`first of ${version}`), cell(`second of ${version}`, [0, 1, 0, 0])], version),
      );
      await put(store, [versions[0]!]);
      await Promise.all(versions.slice(1).map((version) => put(store, [version])));
      const kept = (await store.notebook(sha("one.ipynb")))!;
      const winner = versions.slice(1).find((version) => version.notebook.version === kept.version)!;
      await expectWhole(store, winner);
      const labels = { load: 0, plot: 0, train: 0 };
      await expectSoon(store, store.counts, { cells: 2, notebooks: 1, occurrences: 2, labels });
    });

    it("leaves a notebook that is replaced and removed concurrently either replaced or removed completely", async () => {
      const store = await newStore();
      await put(store, [notebook("one.ipynb", [cell("old")])]);
      const newer = notebook("one.ipynb", [cell("new"), cell("newer", [0, 1, 0, 0])], "v2");
      await Promise.all([put(store, [newer]), store.remove(newer.notebook.id)]);
      const kept = await store.notebook(newer.notebook.id);
      if (kept !== null) await expectWhole(store, newer);
      const cells = kept === null ? 0 : 2;
      const labels = { load: 0, plot: 0, train: 0 };
      await expectSoon(store, store.counts, { cells, notebooks: kept === null ? 0 : 1, occurrences: cells, labels });
      expect((await store.search({ vector: X, k: 5, strong: true })).length).toBe(cells);
    });
  });
}

async function expectWhole(store: VectorStore, { notebook, cells }: NotebookWrite): Promise<void> {
  expect(await store.notebook(notebook.id)).toEqual(notebook);
  expect(await store.missing(ids(cells))).toEqual(new Set());
}
