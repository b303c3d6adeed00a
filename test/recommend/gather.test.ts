import { describe, expect, it } from "vitest";
import { gather } from "../../src/recommend/gather.js";
import type { Hit, StoredCell, VectorStore } from "../../src/store/vector-store.js";

const place = { notebook: "n", name: "n", cellIndex: 0 };
const toCell = (id: string): StoredCell => ({ id, code: id, clean: id, labels: [], primary: null });

/** Knows every cell; what a search finds is up to the test. */
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

  it("shows no cell twice and the best first, where a larger search finds others in front", async () => {
    const gone = Array.from({ length: 9 }, (_, at) => `gone${at}`);
    const search = async (k: number) =>
      k === 10
        ? hits(...gone, "b")
        : hits("a", ...gone, "b", "c", ...Array.from({ length: 30 }, (_, at) => `gone-${at}`)).slice(0, k);
    const found = await gather(store, search, 2, { collapse: false });
    expect(found.map(({ cell }) => cell.id)).toEqual(["a", "b"]);
  });
});
