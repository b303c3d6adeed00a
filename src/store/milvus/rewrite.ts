import type { IndexIdentity, Revision, StoredCell } from "../vector-store.js";
import type { Generation, Generations } from "./generations.js";
import {
  CELL_FIELDS,
  type CellRow,
  HEAD_FIELDS,
  HEAD_INDEX,
  type OccurrenceRow,
  toCellRow,
  toStoredCell,
} from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

export type Revise = (cells: readonly StoredCell[]) => Promise<readonly Revision[]>;

const CELLS_AT_ONCE = 256;

/** Makes new generations from old ones, beside them; whoever reads changes over when they are whole. */
export function createRewrite(tables: Tables, generations: Generations) {
  return {
    /** New labels and vectors for all cells. */
    async revise(old: Generation, identity: IndexIdentity, exact: boolean, revise: Revise): Promise<Generation> {
      const next = await generations.create(identity, exact);
      return replace(next, [next.cells, next.occurrences], async () => {
        const removed = new Set<string>();
        const selection = { fields: CELL_FIELDS, level: "Strong" as const };
        for await (const rows of tables.pages<CellRow>(old.cells, "", CELLS_AT_ONCE, selection)) {
          const cells = rows.map(toStoredCell);
          const revisions = await revise(cells);
          const revised: CellRow[] = [];
          for (const [at, cell] of cells.entries()) {
            const revision = revisions[at] ?? null;
            if (revision === null) removed.add(cell.id);
            else revised.push(toCellRow({ ...cell, ...revision }));
          }
          await tables.upsert(next.cells, revised);
        }
        await copyOccurrences(old.occurrences, next.occurrences, removed);
      });
    },

    /** The same cells with a graph for an index: beyond some size, a scan of all cells takes too long. */
    async withGraph(old: Generation): Promise<Generation> {
      const next = await generations.create(old.identity, false, old.occurrences);
      return replace(next, [next.cells], async () => {
        const selection = { fields: [...CELL_FIELDS, "vector"] as const, level: "Strong" as const };
        for await (const rows of tables.pages<CellRow>(old.cells, "", CELLS_AT_ONCE, selection)) {
          await tables.upsert(next.cells, rows);
        }
      });
    },
  };

  async function replace(next: Generation, made: readonly string[], fill: () => Promise<void>): Promise<Generation> {
    try {
      await fill();
      // After a strong read, bounded ones see the whole of it too.
      await Promise.all([next.cells, next.occurrences].map((name) => tables.count(name, "", "Strong")));
      await generations.publish(next, false);
    } catch (error) {
      await generations.drop(made);
      throw error;
    }
    await generations.sweep(next);
    return next;
  }

  async function copyOccurrences(from: string, to: string, removed: ReadonlySet<string>): Promise<void> {
    const selection = { fields: [...HEAD_FIELDS, "anchor"] as const, level: "Strong" as const };
    const lost = new Map<string, number>();
    for await (const rows of tables.pages<OccurrenceRow>(from, `cell_index != ${HEAD_INDEX}`, WINDOW, selection)) {
      for (const { notebook, cell_id } of rows) {
        if (removed.has(cell_id)) lost.set(notebook, (lost.get(notebook) ?? 0) + 1);
      }
      await tables.upsert(
        to,
        rows.filter(({ cell_id }) => !removed.has(cell_id)),
      );
    }
    for await (const rows of tables.pages<OccurrenceRow>(from, `cell_index == ${HEAD_INDEX}`, WINDOW, selection)) {
      await tables.upsert(
        to,
        rows.map((head) => {
          const fewer = lost.get(head.notebook) ?? 0;
          return { ...head, skipped: head.skipped + fewer, cells: head.cells - fewer };
        }),
      );
    }
  }
}
