import { describe, expect, it } from "vitest";
import { findCandidates, type PoolLimits } from "../../src/recommend/candidate-pool.js";
import type { Hit, VectorStore } from "../../src/store/vector-store.js";

const LIMITS: PoolLimits = { size: 2, sizeWithoutWords: 3, tie: 0.5, tieGrowth: 2, growth: 2, largest: 8 };
const toHits = (prefix: string, scores: readonly number[]): Hit[] =>
  scores.map((score, at) => ({ id: `${prefix}${at}`, score }));

/** Finds hits with these scores; null if it cannot search by words. */
function createStore(byVector: readonly number[], byWords: readonly number[] | null) {
  const asked: string[] = [];
  const store = {
    search: async ({ k }) => {
      asked.push(`vector ${k}`);
      return toHits("v", byVector).slice(0, k);
    },
    lexical: async ({ k, ties }) => {
      asked.push(`words ${k}, ${ties?.first} of them in any case, others from ${ties?.share} of the best on`);
      return byWords && toHits("w", byWords).slice(0, k);
    },
  } as Pick<VectorStore, "search" | "lexical"> as VectorStore;
  return { store, asked };
}
const vector = Float32Array.of(1);
const query = { vector, words: new Map(), lineWords: new Map(), vectors: {} };

describe("findCandidates", () => {
  it("merges the best of both searches", async () => {
    const { store, asked } = createStore([0.9, 0.2, 0.1], [9, 2, 1]);
    expect(await findCandidates(store, query, 2, LIMITS, undefined)).toEqual(["v0", "v1", "w0", "w1"]);
    expect(asked).toEqual(["words 4, 2 of them in any case, others from 0.5 of the best on", "vector 2"]);
  });

  it("follows near-ties with the best, within a bound", async () => {
    const { store, asked } = createStore([0.9, 0.8, 0.5, 0.4, 0.4], [8, 4, 4, 4, 4]);
    expect(await findCandidates(store, query, 2, LIMITS, undefined)).toEqual([
      "v0",
      "v1",
      "v2",
      "w0",
      "w1",
      "w2",
      "w3",
    ]);
    const words = "words 4, 2 of them in any case, others from 0.5 of the best on";
    expect(asked).toEqual([words, "vector 2", "vector 4"]);
  });

  it("takes more by vector if the store cannot search by words, and none without a vector", async () => {
    const { store } = createStore([0.9, 0.2, 0.1, 0.1], null);
    expect(await findCandidates(store, query, 2, LIMITS, undefined)).toEqual(["v0", "v1", "v2"]);
    expect(await findCandidates(store, { ...query, vector: null }, 2, LIMITS, undefined)).toEqual([]);
  });
});
