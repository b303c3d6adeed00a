import type { Hit, LabelFilter, VectorStore } from "../store/vector-store.js";
import type { PreparedQuery } from "./query.js";

/** How many candidates the first stage brings. */
export interface PoolLimits {
  /** By each of the two searches, at least. */
  readonly size: number;
  /** By vector, where the store cannot search by words. */
  readonly sizeWithoutWords: number;
  /** What a pool grows by where it gave too few hits, and the size beyond which it does not grow. */
  readonly growth: number;
  readonly largest: number;
}

export const POOL_LIMITS: PoolLimits = { size: 50, sizeWithoutWords: 200, growth: 8, largest: 5_000 };

/** Ids of the nearest cells by vector, then of those by words that are not among them. */
export async function findCandidates(
  store: VectorStore,
  { vector, words }: PreparedQuery,
  size: number,
  { sizeWithoutWords }: PoolLimits,
  filter: LabelFilter | undefined,
): Promise<string[]> {
  const within = filter === undefined ? {} : { filter };
  const byWords = await store.lexical({ words, k: size, ...within });
  const k = byWords === null ? Math.max(sizeWithoutWords, size) : size;
  const byVector: Hit[] = vector === null ? [] : await store.search({ vector, k, ...within });
  return [...new Set([...byVector, ...(byWords ?? [])].map(({ id }) => id))];
}
