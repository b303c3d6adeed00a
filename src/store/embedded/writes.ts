import type { IndexIdentity, NewCell, Notebook, WriteOutcome } from "../vector-store.js";
import { createCellWrites } from "./cell-writes.js";
import type { Database } from "./database.js";
import { isId } from "./hex-id.js";
import type { LabelCodec } from "./label-bits.js";
import { createNotebookWrites, type HeldChanges } from "./notebook-writes.js";
import { noChanges, recount, type State, startGeneration } from "./state.js";
import { inTransaction } from "./transaction.js";

/** Removals that are listed for other processes before the older half is forgotten. */
export const KEPT_REMOVALS = 50_000;

/** Every change is one transaction: all of it is there afterwards, counters included, or nothing. */
export function createWrites(
  database: Database,
  state: State,
  codec: LabelCodec,
  identity: IndexIdentity,
  keptRemovals: number,
) {
  const cellWrites = createCellWrites(database, codec, keptRemovals);
  const notebookWrites = createNotebookWrites(database);
  /** Cells that are left without an occurrence go last: one may have moved from one notebook of a batch to another. */
  const change = <T>(action: (held: HeldChanges, counts: ReturnType<typeof noChanges>) => T): T =>
    inTransaction(database, () => {
      const held: HeldChanges = new Map();
      const counts = noChanges();
      const result = action(held, counts);
      cellWrites.hold(held, counts);
      cellWrites.prune();
      state.advance(counts);
      return result;
    });

  return {
    put: (notebooks: readonly Notebook[], made: readonly NewCell[]): WriteOutcome =>
      change((held, counts) => {
        const added = new Set(made.filter((cell) => cellWrites.put(cell, counts)).map(({ id }) => id));
        const ids = new Set(notebooks.flatMap(({ cells }) => cells.map(({ id }) => id)));
        const stored = cellWrites.known([...ids]);
        const rows = new Map([...stored].map(([id, { row }]) => [id, row]));
        const replaced = new Set(notebooks.filter(notebookWrites.differs).map(({ id }) => id));
        // A cell that was made for nobody is held by nobody.
        for (const id of added) if (rows.has(id)) held.set(rows.get(id)!, 0);
        for (const notebook of notebooks) notebookWrites.put(notebook, rows, held, counts);
        return { labels: new Map([...stored].map(([id, { labels }]) => [id, labels])), added, replaced };
      }),

    /** How many cells a notebook has; 0 where it is not there. */
    sizeOf: (id: string): number => (isId(id) ? notebookWrites.sizeOf(id) : 0),

    /** How many of these notebooks were there. */
    remove(ids: readonly string[]): number {
      const possible = ids.filter(isId);
      if (possible.length === 0) return 0;
      return change((held, counts) => possible.filter((id) => notebookWrites.remove(id, held, counts)).length);
    },

    clear(): void {
      inTransaction(database, () => {
        for (const table of TABLES) database.exec(`delete from ${table}`);
        startGeneration(database, identity);
        recount(database);
      });
      database.exec("vacuum");
    },
  };
}

const TABLES = ["cells", "vectors", "held", "notebooks", "positions", "occurrences", "removed"];
