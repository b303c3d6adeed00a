import type { Exclusion, Hit, Occurrence, StoredCell, VectorStore } from "../store/vector-store.js";

/** A stored cell that may be recommended, with where it stands. */
export interface Candidate {
  readonly cell: StoredCell;
  readonly score: number;
  readonly occurrences: number;
  readonly place: Occurrence;
}

export interface GatherOptions {
  readonly exclude?: Exclusion;
  /** Of cells whose cleaned text is equal only the best is kept. */
  readonly collapse: boolean;
}

/**
 * The best `count` candidates that `search` finds. A cell with no occurrence left, and a copy of a better one, do not count, so it
 * asks for more until there are enough or no more.
 */
export async function gather(
  store: VectorStore,
  search: (k: number) => Promise<Hit[]>,
  count: number,
  { exclude, collapse }: GatherOptions,
): Promise<Candidate[]> {
  for (let fetch = count + Math.max(8, Math.ceil(count / 4)); ; fetch *= 2) {
    // A larger search need not start with what the smaller one found: it approximates less, and others write meanwhile.
    const hits = await search(fetch);
    const described = await describe(store, hits, exclude);
    const candidates = collapse ? firstOfEachText(described) : described;
    if (candidates.length >= count || hits.length < fetch) return candidates.slice(0, count);
  }
}

function firstOfEachText(candidates: readonly Candidate[]): Candidate[] {
  const shown = new Set<string>();
  return candidates.filter(({ cell }) => !shown.has(cell.clean) && shown.add(cell.clean));
}

async function describe(store: VectorStore, hits: readonly Hit[], exclude?: Exclusion): Promise<Candidate[]> {
  const ids = hits.map(({ id }) => id);
  const [cells, places] = await Promise.all([store.cells(ids), store.provenance(ids, exclude)]);
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  return hits.flatMap(({ id, score }) => {
    const cell = byId.get(id);
    const provenance = places.get(id);
    if (cell === undefined || provenance == null || provenance.first === null) return [];
    return [{ cell, score, occurrences: provenance.count, place: provenance.first }];
  });
}
