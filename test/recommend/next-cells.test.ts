import { describe, expect, it } from "vitest";
import { createLexicalEmbedder } from "../../src/embed/lexical.js";
import { findNextCells, keepPassing } from "../../src/recommend/next-cells.js";
import type { LabelFilter, SearchQuery, VectorStore } from "../../src/store/vector-store.js";

const embedder = createLexicalEmbedder();

/** Finds two similar cells, and knows which cells follow them. */
function createStore() {
  const asked: SearchQuery[] = [];
  const behind: unknown[] = [];
  const store = {
    search: async (query) => {
      asked.push(query);
      return [
        { id: "like", score: 0.9 },
        { id: "less", score: 0.4 },
      ];
    },
    nextCells: async (ids, exclude) => {
      behind.push([ids, exclude]);
      return [
        { before: "less", id: "both" },
        { before: "like", id: "both" },
        { before: "like", id: "first" },
        { before: "less", id: "first" },
        { before: "less", id: "second" },
      ];
    },
    cells: async (ids) =>
      ids.map((id) => ({ id, code: id, clean: id, labels: id === "second" ? ["plot"] : [], primary: null })),
  } as Pick<VectorStore, "search" | "nextCells" | "cells"> as VectorStore;
  return { store, asked, behind };
}

describe("findFollowing", () => {
  it("gives each cell the cosine of the most similar cell that it follows", async () => {
    const { store, asked, behind } = createStore();
    const exclude = { notebooks: ["n"] };
    expect([...(await findNextCells({ store, embedder }, "df.head()  # look", exclude))]).toEqual([
      ["both", 0.9],
      ["first", 0.9],
      ["second", 0.4],
    ]);
    const [vector] = await embedder.embed(["df.head()"], "cell");
    expect(asked).toEqual([{ vector, k: 30 }]);
    expect(behind).toEqual([[["like", "less"], exclude]]);
  });

  it("finds nothing for a cell without code", async () => {
    const { store, asked } = createStore();
    expect((await findNextCells({ store, embedder }, "# nothing", undefined)).size).toBe(0);
    expect(asked).toEqual([]);
  });
});

describe("keepPassing", () => {
  const following = new Map([
    ["both", 1],
    ["second", 0.5],
  ]);
  const plots: LabelFilter = { field: "labels", any: ["plot"], unlabelled: false };

  it("keeps the cells that pass the filter, or all without one", async () => {
    const { store } = createStore();
    expect(await keepPassing(store, [...following.keys()], plots)).toEqual(["second"]);
    expect(await keepPassing(store, [...following.keys(), "both"], undefined)).toEqual(["both", "second"]);
  });

  it("does not query the store needlessly", async () => {
    expect(await keepPassing({} as VectorStore, [], plots)).toEqual([]);
    expect(await keepPassing({} as VectorStore, [...following.keys()], undefined)).toEqual(["both", "second"]);
  });
});
