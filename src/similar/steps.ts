import type { MakeNewCells } from "../ingest/make-cells.js";
import type { NotebookCode } from "../ingest/read-content.js";
import type { VectorStore } from "../store/vector-store.js";

/** A code cell of the notebook that others are compared with. */
export interface Step {
  readonly cellIndex: number;
  readonly code: string;
  /** Rare cells tell more than common ones. */
  readonly weight: number;
  /** Stored cells that are the same (1) or alike. */
  readonly alike: ReadonlyMap<string, number>;
}

const NEIGHBOURS = 8;
const LEAST_LIKENESS = 0.6;
const MOST_CELLS = 300;

/** Looks for the nearest stored cells of each cell that can be stored. Vectors that the store has are not made again. */
export async function findSteps(
  { cells }: NotebookCode,
  store: VectorStore,
  make: MakeNewCells,
  signal?: AbortSignal,
): Promise<Step[]> {
  const some = cells.slice(0, MOST_CELLS);
  const distinct = [...new Map(some.map((cell) => [cell.id, cell])).values()];
  const ids = distinct.map(({ id }) => id);
  const [stored, places] = await Promise.all([store.vectors(ids, signal), store.provenance(ids, undefined, signal)]);
  const missing = distinct.filter(({ id }) => !stored.has(id));
  const made = missing.length === 0 ? new Map() : await make(missing, signal);
  const vectorOf = (id: string): Float32Array | null => {
    const cell = made.get(id);
    return stored.get(id) ?? (cell === undefined || typeof cell === "string" ? null : cell.vector);
  };
  const steps = await Promise.all(
    some.map(async ({ cellIndex, id, code }) => {
      const vector = vectorOf(id);
      if (vector === null) return null;
      const hits = await store.search({ vector, k: NEIGHBOURS }, signal);
      const alike = new Map(hits.filter(({ score }) => score >= LEAST_LIKENESS).map((hit) => [hit.id, hit.score]));
      const count = places.get(id)?.count ?? 0;
      if (count > 0) alike.set(id, 1);
      return { cellIndex, code, weight: 1 / Math.log2(2 + count), alike };
    }),
  );
  return steps.filter((step) => step !== null);
}
