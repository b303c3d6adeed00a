import type { Exclusion, Occurrence, Provenance, StoredCell, VectorStore } from "../store/vector-store.js";

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

/** A cell that was found, with where it stands. */
export interface Located {
  readonly cell: StoredCell;
  readonly score: number;
  readonly provenance: Provenance | undefined;
}

/** Finds out where cells stand, and which of them may be shown. */
export function createLocate(store: VectorStore, { exclude, collapse, brings }: LocateOptions) {
  const shown = new Set<string>();
  return {
    async find(hits: readonly { readonly cell: StoredCell; readonly score: number }[]): Promise<Located[]> {
      const ids = hits.map(({ cell }) => cell.id);
      const provenances = await store.provenance(ids, exclude);
      return hits.map(({ cell, score }) => ({ cell, score, provenance: provenances.get(cell.id) }));
    },

    /**
     * Null for a cell that must not be shown: no occurrence is left, it brings nothing, or a copy was judged before. What a cell
     * brings takes longer to find out than where it stands, so only those are judged that would be shown.
     */
    judge({ cell, score, provenance }: Located): Candidate | null {
      if (provenance === undefined || provenance.first === null || (collapse && shown.has(cell.clean))) return null;
      const brought = brings?.(cell) ?? cell.clean;
      if (brought === "" || (collapse && shown.has(brought))) return null;
      shown.add(cell.clean).add(brought);
      const { count: occurrences, first: occurrence } = provenance;
      return { cell, score, confidence: null, why: () => ({}), occurrences, occurrence };
    },
  };
}
