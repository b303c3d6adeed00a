import { describe, expect, it } from "vitest";
import type { IndexIdentity } from "../../../src/store/vector-store.js";
import { type CreatePlace, cell, expectSoon, IDENTITY, ids, notebook, put, stored, usePlaces } from "./fixtures.js";

const A = cell("a = load()", [1, 0, 0, 0], ["load"]);
const B = cell("plot(b)", [0, 1, 0, 0], ["plot"]);
const X = Float32Array.of(1, 0, 0, 0);

/** Another identity, and the texts that a message about the difference has to contain. */
const OTHERS: readonly [string, Partial<IndexIdentity>, readonly string[]][] = [
  ["embedder", { embedder: "another-model@7" }, ["test-embedder@1", "another-model@7"]],
  ["number of dimensions", { dimensions: 385 }, ["4", "385"]],
  ["label set", { labels: ["load", "sonify"] }, ["load, plot, train", "load, sonify"]],
];

export function describeIdentity(createPlace: CreatePlace): void {
  describe("the identity of an index", () => {
    const { newPlace } = usePlaces(createPlace);

    it("survives closing: everything is there on reopening", async () => {
      const place = await newPlace();
      const store = place.open();
      const one = notebook("one.ipynb", [A, B], "v1", 1);
      await put(store, [one, notebook("two.ipynb", [B])]);
      const hits = await store.search({ vector: X, k: 5, strong: true });
      await store.close();
      const again = place.open();
      await again.open();
      await again.open();
      expect(await again.notebook(one.notebook.id)).toEqual(one.notebook);
      expect(await again.search({ vector: X, k: 5, strong: true })).toEqual(hits);
      expect(await again.cells(ids([A, B]))).toEqual([A, B].map(stored));
      expect(await again.missing(ids([A, B]))).toEqual(new Set());
      const labels = { load: 1, plot: 1, train: 0 };
      await expectSoon(again, again.counts, { cells: 2, notebooks: 2, occurrences: 3, labels });
    });

    it("is ready when open, and not with the identity of another index", async () => {
      const place = await newPlace();
      const store = place.open();
      await store.open();
      expect(await store.ready()).toBeUndefined();
      const stranger = place.open({ ...IDENTITY, embedder: "another-model@7" });
      await expect(stranger.ready()).rejects.toMatchObject({ name: "RecommenderError" });
    });

    it("is opened by the first call, and closed twice without harm", async () => {
      const place = await newPlace();
      const store = place.open();
      expect(await store.missing([A.id])).toEqual(new Set([A.id]));
      await store.close();
      await store.close();
      const unused = place.open();
      await unused.close();
    });

    it.each(OTHERS)("refuses another %s, names both with advice, and changes nothing", async (_, other, named) => {
      const place = await newPlace();
      const store = place.open();
      await put(store, [notebook("one.ipynb", [A])]);
      await store.close();
      const stranger = place.open({ ...IDENTITY, ...other });
      const refusals: readonly (() => Promise<unknown>)[] = [
        () => stranger.open(),
        () => stranger.search({ vector: X, k: 1 }),
        () => put(stranger, [notebook("two.ipynb", [B])]),
        () => stranger.counts(),
      ];
      for (const refusal of refusals) {
        const error = await refusal().then(
          () => null,
          (reason: Error) => reason,
        );
        expect(error).toMatchObject({ name: "RecommenderError", code: "INDEX_MISMATCH" });
        for (const part of [...named, "celrec reembed"]) expect(error?.message).toContain(part);
      }
      await stranger.close();
      const again = place.open();
      expect(ids(await again.search({ vector: X, k: 5, strong: true }))).toEqual([A.id]);
    });

    it("is given up by clear, which also empties an index of another identity", async () => {
      const place = await newPlace();
      const store = place.open();
      await put(store, [notebook("one.ipynb", [A])]);
      await store.close();
      const stranger = place.open({ ...IDENTITY, embedder: "another-model@7", dimensions: 2 });
      await stranger.clear();
      const short = { ...B, vector: Float32Array.of(3, 4) };
      await put(stranger, [notebook("two.ipynb", [short])]);
      const found = await stranger.search({ vector: Float32Array.of(1, 0), k: 5, strong: true });
      expect(ids(found)).toEqual([B.id]);
      expect(found[0]!.score).toBeCloseTo(0.6, 6);
      await stranger.close();
      await expect(place.open().open()).rejects.toMatchObject({ code: "INDEX_MISMATCH" });
    });
  });
}
