import type { Exclusion, Hit, Occurrence, StoredCell, VectorStore } from "../store/vector-store.js";

/** A stored cell that may be recommended, with where it stands. */
export interface Candidate {
  readonly cell: StoredCell;
  readonly score: number;
  readonly confidence: number | null;
  /** What each feature added to the score. */
  why(): Record<string, number>;
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
  options: GatherOptions,
): Promise<Candidate[]> {
  for (let fetch = count + Math.max(8, Math.ceil(count / 4)); ; fetch *= 2) {
    // A larger search need not start with what the smaller one found: it approximates less, and others write meanwhile.
    const hits = await search(fetch);
    const cells = new Map((await store.cells(hits.map(({ id }) => id))).map((cell) => [cell.id, cell]));
    const known = hits.flatMap(({ id, score }) => (cells.has(id) ? [{ cell: cells.get(id)!, score }] : []));
    const candidates = await createPlacer(store, options)(known);
    if (candidates.length >= count || hits.length < fetch) return candidates.slice(0, count);
  }
}

/**
 * Tells where cells stand, and leaves out those that must not be shown: no place is left, or a copy came before. It remembers
 * what came before from call to call.
 */
export function createPlacer(store: VectorStore, { exclude, collapse }: GatherOptions) {
  const shown = new Set<string>();
  return async (hits: readonly { readonly cell: StoredCell; readonly score: number }[]): Promise<Candidate[]> => {
    const places = await store.provenance(
      hits.map(({ cell }) => cell.id),
      exclude,
    );
    return hits.flatMap(({ cell, score }): Candidate[] => {
      const provenance = places.get(cell.id);
      if (provenance == null || provenance.first === null || (collapse && shown.has(cell.clean))) return [];
      shown.add(cell.clean);
      return [
        { cell, score, confidence: null, why: () => ({}), occurrences: provenance.count, place: provenance.first },
      ];
    });
  };
}
