import type { Exclusion, Occurrence, StoredCell, VectorStore } from "../store/vector-store.js";

/** A stored cell that may be recommended, with where it stands. */
export interface Candidate {
  readonly cell: StoredCell;
  readonly score: number;
  readonly confidence: number | null;
  /** What each feature added to the score. */
  why(): Record<string, number>;
  readonly occurrences: number;
  /** The occurrence that is shown. */
  readonly occurrence: Occurrence;
}

export interface LocateOptions {
  readonly exclude?: Exclusion;
  /** Of cells whose cleaned text is equal only the best is kept. */
  readonly collapse: boolean;
  /** Cells that it refuses are not shown. */
  readonly accepts?: (cell: StoredCell) => boolean;
}

/**
 * Finds out where cells stand, and leaves out those that must not be shown: no occurrence is left, or a copy came before.
 * It remembers what came before from call to call.
 */
export function createLocate(store: VectorStore, { exclude, collapse, accepts = () => true }: LocateOptions) {
  const shown = new Set<string>();
  return async (hits: readonly { readonly cell: StoredCell; readonly score: number }[]): Promise<Candidate[]> => {
    const ids = hits.map(({ cell }) => cell.id);
    const provenances = await store.provenance(ids, exclude);
    return hits.flatMap(({ cell, score }): Candidate[] => {
      const provenance = provenances.get(cell.id);
      if (provenance == null || provenance.first === null || (collapse && shown.has(cell.clean))) return [];
      if (!accepts(cell)) return [];
      shown.add(cell.clean);
      const { count: occurrences, first: occurrence } = provenance;
      return [{ cell, score, confidence: null, why: () => ({}), occurrences, occurrence }];
    });
  };
}
