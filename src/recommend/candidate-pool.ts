import { keepTies } from "../store/best-rows.js";
import type { CandidateIds, Hit, LabelFilter, PoolQuery, VectorStore } from "../store/vector-store.js";
import type { PreparedQuery } from "./query.js";

/** Limits on the number of candidates that the first stage retrieves. */
export interface PoolLimits {
  /** Minimum number of candidates from each of the two searches. */
  readonly size: number;
  /** Minimum number of candidates from the vector search if the store has no word search. */
  readonly sizeWithoutWords: number;
  /**
   * Common starts such as `import numpy as np` match hundreds of cells with nearly equal scores. If the last hit
   * reaches this share of the best score, up to `tieGrowth` times as many candidates are fetched.
   */
  readonly tie: number;
  readonly tieGrowth: number;
  /** Growth factor of a pool that gave too few hits, and the maximum pool size. */
  readonly growth: number;
  readonly largest: number;
}

export const POOL_LIMITS: PoolLimits = {
  size: 50,
  sizeWithoutWords: 200,
  tie: 0.85,
  tieGrowth: 4,
  growth: 8,
  largest: 5_000,
};

/**
 * Limits while a cell is typed. Most useful cells are among the first hits of both searches. A larger pool pushes such
 * a cell out of the answer as often as it adds one.
 */
export const TYPING_POOL_LIMITS: PoolLimits = { ...POOL_LIMITS, size: 32, sizeWithoutWords: 100 };

interface PoolFilter {
  readonly filter: LabelFilter | undefined;
  readonly line: PoolQuery["line"];
}

/** Finds the candidates that pass the filter and, in a store with `pool`, further candidates for the typed line. */
export async function findPool(
  store: VectorStore,
  prepared: PreparedQuery,
  size: number,
  limits: PoolLimits,
  { filter, line }: PoolFilter,
  signal?: AbortSignal,
): Promise<CandidateIds> {
  if (store.pool !== undefined) {
    const { tie, tieGrowth, sizeWithoutWords } = limits;
    const { vector, words } = prepared;
    const wanted = { vector, words, size, max: size * tieGrowth, tie, sizeWithoutWords };
    return store.pool({ ...wanted, ...(filter && { filter }), ...(line && { line }) }, signal);
  }
  return { inside: await findCandidates(store, prepared, size, limits, filter, signal), outside: [] };
}

/** Ids of the nearest cells by vector, followed by further cells found by words. */
export async function findCandidates(
  store: VectorStore,
  { vector, words }: PreparedQuery,
  size: number,
  limits: PoolLimits,
  filter: LabelFilter | undefined,
  signal?: AbortSignal,
): Promise<string[]> {
  const within = filter === undefined ? {} : { filter };
  const ties = { first: size, share: limits.tie };
  const byWords = await store.lexical({ words, k: size * limits.tieGrowth, ties, ...within }, signal);
  const near = (like: Float32Array): Promise<Hit[]> => {
    const search = (k: number) => store.search({ vector: like, k, rough: true, ...within }, signal);
    // Without word search, the larger minimum already includes near ties.
    return byWords === null ? search(Math.max(limits.sizeWithoutWords, size)) : findWithTies(search, size, limits);
  };
  const byVector = vector === null ? [] : await near(vector);
  return [...new Set([...byVector, ...keepTies(byWords ?? [], ties)].map(({ id }) => id))];
}

/** The best `size` hits, plus near ties with the best hit. Searches again only if there may be near ties. */
async function findWithTies(
  search: (k: number) => Promise<Hit[]>,
  size: number,
  { tie, tieGrowth }: PoolLimits,
): Promise<Hit[]> {
  const hits = await search(size);
  if (hits.length < size) return hits;
  const max = size * tieGrowth;
  // The first search may already have found all ties.
  const mayHaveMore = hits.length < max && hits.at(-1)!.score >= tie * hits[0]!.score;
  const all = mayHaveMore ? await search(max) : hits;
  return keepTies(all.slice(0, max), { first: size, share: tie });
}
