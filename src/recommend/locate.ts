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
  /** Of cells whose cleaned text is equal, or that bring the same, only the best is kept. */
  readonly collapse: boolean;
  /** What a cell brings; one that brings nothing is not shown. Its cleaned text where left out. */
  readonly brings?: (cell: StoredCell) => string;
}

/**
 * Finds out where cells stand, and leaves out those that must not be shown: no occurrence is left, or a copy came before.
 * It remembers what came before from call to call.
 */
export function createLocate(store: VectorStore, { exclude, collapse, brings }: LocateOptions) {
  const shown = new Set<string>();
  return async (hits: readonly { readonly cell: StoredCell; readonly score: number }[]): Promise<Candidate[]> => {
    const ids = hits.map(({ cell }) => cell.id);
    const provenances = await store.provenance(ids, exclude);
    return hits.flatMap(({ cell, score }): Candidate[] => {
      const provenance = provenances.get(cell.id);
      if (provenance == null || provenance.first === null || (collapse && shown.has(cell.clean))) return [];
      const brought = brings?.(cell) ?? cell.clean;
      if (brought === "" || (collapse && shown.has(brought))) return [];
      shown.add(cell.clean).add(brought);
      const { count: occurrences, first: occurrence } = provenance;
      return [{ cell, score, confidence: null, why: () => ({}), occurrences, occurrence }];
    });
  };
}
