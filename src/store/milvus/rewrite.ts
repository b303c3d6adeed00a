import type { IndexIdentity, Notebook, Revision, StoredCell } from "../vector-store.js";
import { isIn } from "./expression.js";
import type { Generation, Generations } from "./generations.js";
import { newOwner } from "./journal.js";
import type { Lease } from "./lease.js";
import {
  CELL_FIELDS,
  type CellRow,
  HEAD_FIELDS,
  HEAD_INDEX,
  type HeadRow,
  toCellRow,
  toHeadRow,
  toNotebook,
  toOccurrenceRows,
  toStoredCell,
} from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

export type Revise = (cells: readonly StoredCell[]) => Promise<readonly Revision[]>;

/** What an index consists of, whatever its layout. */
export interface Contents {
  cells(): AsyncIterable<readonly StoredCell[]>;
  notebooks(): AsyncIterable<readonly Notebook[]>;
}

const CELLS_AT_ONCE = 256;
const NOTEBOOKS_AT_ONCE = 64;

/** Makes new generations from old ones, beside them; whoever reads changes over when they are whole. */
export function createRewrite(tables: Tables, generations: Generations) {
  return {
    contentsOf: (generation: Generation): Contents => ({
      async *cells() {
        const selection = { fields: CELL_FIELDS, level: "Strong" as const };
        for await (const rows of tables.pages<CellRow>(generation.cells, "", CELLS_AT_ONCE, selection)) {
          yield rows.map(toStoredCell);
        }
      },
      async *notebooks() {
        const selection = { fields: HEAD_FIELDS, level: "Strong" as const };
        const filter = `cell_index == ${HEAD_INDEX}`;
        for await (const heads of tables.pages<HeadRow>(generation.occurrences, filter, NOTEBOOKS_AT_ONCE, selection)) {
          const rows = await rowsOf(generation, heads);
          yield heads.map((head) => toNotebook(head, rows));
        }
      },
    }),

    /** New labels and vectors for all cells. Nobody writes meanwhile. */
    async revise(
      old: Contents,
      lease: Lease,
      { identity, exact }: { readonly identity: IndexIdentity; readonly exact: boolean },
      revise: Revise,
    ): Promise<Generation> {
      const next = await generations.create(identity, exact);
      try {
        const write = newOwner();
        const removed = await copyCells(old, next, write, revise);
        for await (const notebooks of old.notebooks()) {
          const kept = notebooks.map((notebook) => without(notebook, removed));
          await tables.upsert(
            next.occurrences,
            kept.flatMap((notebook) => [...toOccurrenceRows(notebook, write), toHeadRow(notebook, write)]),
          );
        }
        // After a strong read, bounded ones see the whole of it too.
        await Promise.all([next.cells, next.occurrences].map((name) => tables.count(name, "", "Strong")));
        lease.assertAlive();
        await generations.publish(next);
      } catch (error) {
        await generations.drop([next.cells, next.occurrences]);
        throw error;
      }
      return next;
    },
  };

  async function copyCells(old: Contents, next: Generation, write: string, revise: Revise): Promise<Set<string>> {
    const removed = new Set<string>();
    for await (const cells of old.cells()) {
      const revisions = await revise(cells);
      const revised: CellRow[] = [];
      for (const [at, cell] of cells.entries()) {
        const revision = revisions[at] ?? null;
        if (revision === null) removed.add(cell.id);
        else revised.push(toCellRow({ ...cell, ...revision }, write, next.words));
      }
      await tables.upsert(next.cells, revised);
    }
    return removed;
  }

  async function rowsOf({ occurrences }: Generation, heads: readonly HeadRow[]): Promise<HeadRow[]> {
    const ids = heads.map(({ notebook }) => notebook);
    const filter = `${isIn("notebook", ids)} and cell_index != ${HEAD_INDEX}`;
    const selection = {
      fields: ["id", "notebook", "write", "cell_index", "cell_id"] as const,
      level: "Strong" as const,
    };
    const rows: HeadRow[] = [];
    for await (const page of tables.pages<HeadRow>(occurrences, filter, WINDOW, selection)) rows.push(...page);
    return rows;
  }
}

function without(notebook: Notebook, removed: ReadonlySet<string>): Notebook {
  const cells = notebook.cells.filter(({ id }) => !removed.has(id));
  return { ...notebook, cells, skipped: notebook.skipped + notebook.cells.length - cells.length };
}
