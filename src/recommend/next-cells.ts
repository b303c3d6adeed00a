import type { Embedder } from "../embed/embedder.js";
import { strip } from "../python/strip.js";
import { type Exclusion, type LabelFilter, passesFilter, type VectorStore } from "../store/vector-store.js";

interface NextCellsDeps {
  readonly store: VectorStore;
  readonly embedder: Embedder;
}

/** Number of stored cells, similar to the last cell, whose next cells are read. */
export const SIMILAR_CELLS = 30;

/**
 * Finds cells that follow a stored cell similar to `last`. Maps each id to the highest cosine between `last` and a cell
 * before it. Empty if `last` has no tokens.
 */
export async function findNextCells(
  { store, embedder }: NextCellsDeps,
  last: string,
  exclude: Exclusion | undefined,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const [vector] = await embedder.embed([strip(last).text], "cell", signal);
  if (!vector) return new Map();
  const alike = new Map((await store.search({ vector, k: SIMILAR_CELLS })).map(({ id, score }) => [id, score]));
  const following = new Map<string, number>();
  for (const { before, id } of await store.nextCells([...alike.keys()], exclude)) {
    following.set(id, Math.max(following.get(id) ?? 0, alike.get(before)!));
  }
  return following;
}

/** Keeps the cells that a search with this filter could have found. */
export async function keepPassing(
  store: VectorStore,
  ids: readonly string[],
  filter: LabelFilter | undefined,
): Promise<string[]> {
  const distinct = [...new Set(ids)];
  if (filter === undefined || distinct.length === 0) return distinct;
  const cells = await store.cells(distinct);
  return cells.filter((cell) => passesFilter(filter, cell)).map(({ id }) => id);
}
