import { describe, expect, it } from "vitest";
import type { LabelFilter } from "../../../src/store/vector-store.js";
import {
  byId,
  type CreatePlace,
  cell,
  createRandom,
  expectedHits,
  expectHits,
  ids,
  notebook,
  put,
  randomCells,
  usePlaces,
} from "./fixtures.js";

const X = Float32Array.of(1, 0, 0, 0);

export function describeSearch(createPlace: CreatePlace): void {
  describe("search", () => {
    const { newPlace, newStore } = usePlaces(createPlace);

    it("returns the nearest cell first, with its exact cosine, whatever the lengths of the vectors", async () => {
      const store = await newStore();
      const cells = [
        cell("same", [2, 0, 0, 0]),
        cell("near", [4, 3, 0, 0]),
        cell("far", [0.3, 0.4, 0, 0]),
        cell("right angle", [0, 0, 5, 0]),
        cell("opposite", [-0.5, 0, 0, 0]),
      ];
      await put(store, [notebook("one.ipynb", cells)]);
      const found = await store.search({ vector: Float32Array.of(10, 0, 0, 0), k: 5, strong: true });
      expect(ids(found)).toEqual(ids(cells));
      for (const [rank, score] of [1, 0.8, 0.6, 0, -1].entries()) expect(found[rank]!.score).toBeCloseTo(score, 6);
      for (const { score } of found) expect(Math.abs(score)).toBeLessThanOrEqual(1);
    });

    it("sees a write, a replacement and a removal at once on a strong read, also by another store object", async () => {
      const place = await newPlace();
      const writer = place.open();
      const reader = place.open();
      const read = async () => ids(await reader.search({ vector: X, k: 10, strong: true })).sort();
      const [one, two, three] = randomCells(3, createRandom(2));
      await put(writer, [notebook("one.ipynb", [one!, two!])]);
      expect(await read()).toEqual(ids([one!, two!]).sort());
      const newer = notebook("one.ipynb", [two!, three!], "v2");
      await put(writer, [newer]);
      expect(await read()).toEqual(ids([two!, three!]).sort());
      await writer.remove(newer.notebook.id);
      expect(await read()).toEqual([]);
    });

    it("finds the same cells as an exact scan", async () => {
      const store = await newStore();
      const random = createRandom(3);
      const cells = randomCells(500, random);
      await put(store, [notebook("one.ipynb", cells)]);
      for (const k of [1, 3, 100, 1000]) {
        const vector = randomCells(1, random)[0]!.vector;
        expectHits(await store.search({ vector, k, strong: true }), expectedHits(cells, vector, k));
      }
    });

    it("filters by label", async () => {
      const store = await newStore();
      const random = createRandom(4);
      const sets = [[], ["load"], ["plot"], ["train"], ["plot", "load"], ["train", "plot", "load"]];
      const cells = sets.flatMap((labels) => randomCells(10, random, labels)).map(inOrderOfTheSet);
      await put(store, [notebook("one.ipynb", cells)]);
      const search = { vector: X, k: 100, strong: true };
      const fields = ["primary", "labels"] as const;
      const sought = [[], ["load"], ["train"], ["plot", "train"], ["load", "plot", "train"], ["unknown"]];
      const filters = fields.flatMap((field) =>
        sought.flatMap((any) => [false, true].map((unlabelled): LabelFilter => ({ field, any, unlabelled }))),
      );
      const found = await Promise.all(filters.map((filter) => store.search({ ...search, filter })));
      for (const [at, filter] of filters.entries()) expectHits(found[at]!, expectedHits(cells, X, 100, filter));
    });

    it("returns exactly min(k, matches) hits for a rare label among many cells", async () => {
      const store = await newStore();
      const random = createRandom(5);
      const common = randomCells(3000, random, ["load"]);
      const rare = Array.from({ length: 5 }, (_, index) => cell(`rare ${index}`, [-1, random(), 0, 0], ["train"]));
      await put(store, [notebook("common.ipynb", common), notebook("rare.ipynb", rare)]);
      const filter: LabelFilter = { field: "primary", any: ["train"], unlabelled: false };
      for (const k of [3, 5, 50])
        expectHits(await store.search({ vector: X, k, filter, strong: true }), expectedHits(rare, X, k));
      const either = { ...filter, any: ["train", "load"] };
      const found = await store.search({ vector: Float32Array.of(-1, 0.5, 0, 0), k: 50, filter: either, strong: true });
      expect(found.length).toBe(50);
    });

    it("gives ties to the smaller id, however many there are", async () => {
      const store = await newStore();
      const best = cell("best", [1, 0, 0, 0], ["load"]);
      // Powers of two change the length of a vector, and not one bit of its cosine.
      const equal = Array.from({ length: 400 }, (_, index) => {
        const length = 2 ** (index % 5);
        return cell(`equal ${index}`, [0.5 * length, 0.75 * length, 0, 0], ["plot"]);
      });
      await put(store, [notebook("one.ipynb", [best, ...equal, cell("worst", [-1, -1, 0, 0], ["train"])])]);
      const tied = ids([...equal].sort(byId));
      const search = (k: number, filter?: LabelFilter) =>
        store.search({ vector: Float32Array.of(1, 2, 0, 0), k, strong: true, ...(filter && { filter }) });
      for (const k of [1, 5, 399]) expect(ids(await search(k))).toEqual(tied.slice(0, k));
      const filter: LabelFilter = { field: "labels", any: ["load", "plot"], unlabelled: false };
      expect(ids(await search(10, filter))).toEqual(tied.slice(0, 10));
      expect(ids(await search(401, filter))).toEqual([...tied, best.id]);
    });

    it("answers searches in full while notebooks are written", async () => {
      const store = await newStore();
      const random = createRandom(6);
      const first = randomCells(50, random);
      await put(store, [notebook("first.ipynb", first)]);
      const batches = Array.from({ length: 5 }, (_, batch) =>
        Array.from({ length: 20 }, (_, index) => cell(`batch(${batch}, ${index})`, [random(), random(), 0, 0])),
      );
      const writing = (async () => {
        for (const [batch, cells] of batches.entries()) await put(store, [notebook(`${batch}.ipynb`, cells)]);
      })();
      const reading = Array.from({ length: 8 }, async () => {
        for (let time = 0; time < 4; time++) {
          const found = await store.search({ vector: X, k: 10, strong: true });
          expect(found.length).toBe(10);
          expect([...found].sort((a, b) => b.score - a.score || byId(a, b))).toEqual(found);
        }
      });
      await Promise.all([writing, ...reading]);
      const all = [...first, ...batches.flat()];
      expectHits(await store.search({ vector: X, k: 150, strong: true }), expectedHits(all, X, 150));
    });
  });
}

/** Stores return labels in the order of the label set, whichever label is the primary one. */
function inOrderOfTheSet(one: ReturnType<typeof cell>) {
  return { ...one, labels: [...one.labels].sort() };
}
