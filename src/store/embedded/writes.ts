import type { IndexIdentity, NewCell, Notebook, Revision, StoredCell, WriteOutcome } from "../vector-store.js";
import type { Database } from "./database.js";
import { writeIdentity } from "./identity.js";
import type { LabelCodec } from "./label-bits.js";
import { writeVector } from "./resident.js";
import { createStoredCells } from "./stored-cells.js";

/** Every change is one transaction: all of it is there afterwards, or nothing. */
export function createWrites(database: Database, codec: LabelCodec, identity: IndexIdentity) {
  const insertCell = database.prepare<[string, Buffer, Buffer, number, number, Buffer]>(
    `insert into cells (id, code, clean, labels, primary_label, vector) values (?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`,
  );
  const notebookRow = database.prepare<[string]>("select row from notebooks where id = ?").raw();
  const insertNotebook = database.prepare<[string, Buffer, Buffer, string, number, Buffer]>(
    "insert into notebooks (id, source, name, version, skipped, facts) values (?, ?, ?, ?, ?, ?)",
  );
  const updateNotebook = database.prepare<[string, number, Buffer, number]>(
    "update notebooks set version = ?, skipped = ?, facts = ? where row = ?",
  );
  const labelsOf = database.prepare<[string]>("select labels, primary_label from cells where id = ?").raw();
  const deleteNotebook = database.prepare<[number]>("delete from notebooks where row = ?");
  const heldBy = database.prepare<[number]>("select distinct cell from occurrences where notebook = ?").raw();
  const deleteOccurrences = database.prepare<[number]>("delete from occurrences where notebook = ?");
  const insertOccurrence = database.prepare<[number, number, string]>(
    "insert into occurrences (notebook, cell_index, cell) select ?, ?, row from cells where id = ?",
  );
  const isHeld = database.prepare<[number]>("select 1 from occurrences where cell = ? limit 1").raw();
  const deleteCell = database.prepare<[number]>("delete from cells where row = ?");
  const noteRemoval = database.prepare<[number]>("insert into removed (row) values (?)");

  const putCell = ({ id, code, clean, labels, primary, vector }: NewCell) => {
    const bits = codec.encode(labels, primary);
    insertCell.run(id, Buffer.from(code), Buffer.from(clean), bits.bits, bits.primary, writeVector(vector));
  };
  const release = (notebook: number): number[] => {
    const cells = (heldBy.all(notebook) as [number][]).map(([cell]) => cell);
    deleteOccurrences.run(notebook);
    return cells;
  };
  const dropOrphans = (cells: readonly number[]) => {
    for (const cell of cells) {
      if (isHeld.get(cell) !== undefined) continue;
      deleteCell.run(cell);
      noteRemoval.run(cell);
    }
  };
  /** The labels of those of these cells that are stored. */
  const readLabels = (ids: Iterable<string>): Map<string, readonly string[]> =>
    new Map(
      [...ids].flatMap((id) => {
        const found = labelsOf.get(id) as [number, number] | undefined;
        return found === undefined ? [] : [[id, codec.decode({ bits: found[0], primary: found[1] }).labels] as const];
      }),
    );
  /** Returns the cells that the older version held. */
  const putNotebook = (notebook: Notebook, stored: ReadonlyMap<string, unknown>): number[] => {
    const { id, source, name, version, facts } = notebook;
    const kept = notebook.cells.filter((cell) => stored.has(cell.id));
    const skipped = notebook.skipped + notebook.cells.length - kept.length;
    const known = Buffer.from(JSON.stringify(facts));
    const existing = notebookRow.get(id) as [number] | undefined;
    const released = existing === undefined ? [] : release(existing[0]);
    const row =
      existing?.[0] ??
      Number(insertNotebook.run(id, Buffer.from(source), Buffer.from(name), version, skipped, known).lastInsertRowid);
    if (existing !== undefined) updateNotebook.run(version, skipped, known, row);
    for (const { cellIndex, id: cell } of kept) insertOccurrence.run(row, cellIndex, cell);
    return released;
  };

  return {
    // Orphans go last: a cell may have moved from one notebook of the batch to another.
    put: database.transaction((notebooks: readonly Notebook[], made: readonly NewCell[]): WriteOutcome => {
      for (const cell of made) putCell(cell);
      const labels = readLabels(new Set(notebooks.flatMap(({ cells }) => cells.map(({ id }) => id))));
      const replaced = new Set(notebooks.map(({ id }) => id).filter((id) => notebookRow.get(id) !== undefined));
      dropOrphans(notebooks.flatMap((notebook) => putNotebook(notebook, labels)));
      return { labels, added: new Set(made.map(({ id }) => id)), replaced };
    }).immediate,

    remove: database.transaction((id: string): boolean => {
      const existing = notebookRow.get(id) as [number] | undefined;
      if (existing === undefined) return false;
      const released = release(existing[0]);
      deleteNotebook.run(existing[0]);
      dropOrphans(released);
      return true;
    }).immediate,

    async rewrite(revise: (cells: readonly StoredCell[]) => Promise<readonly Revision[]>): Promise<void> {
      database.exec(
        "drop table if exists revised; create table revised (row integer primary key, labels, primary_label, vector)",
      );
      const stored = createStoredCells(database);
      const insert = database.prepare<[number, number | null, number | null, Buffer | null]>(
        "insert into revised (row, labels, primary_label, vector) values (?, ?, ?, ?)",
      );
      for (let batch = stored.after(0); batch.length > 0; batch = stored.after(batch.at(-1)!.row)) {
        const revisions = await revise(batch.map(({ cell }) => cell));
        database.transaction(() => {
          for (const [place, { row }] of batch.entries()) {
            const revision = revisions[place] ?? null;
            const bits = revision === null ? null : codec.encode(revision.labels, revision.primary);
            insert.run(
              row,
              bits?.bits ?? null,
              bits?.primary ?? null,
              revision === null ? null : writeVector(revision.vector),
            );
          }
        })();
      }
      database.transaction(() => swapIn(database, identity)).immediate();
    },

    clear(): void {
      database
        .transaction(() => {
          for (const table of ["cells", "notebooks", "occurrences", "removed"]) database.exec(`delete from ${table}`);
          writeIdentity(database, identity);
        })
        .immediate();
      database.exec("vacuum");
    },
  };
}

/** The revised rows take the place of the old ones; cells without a vector go, and count as skipped where they stood. */
function swapIn(database: Database, identity: IndexIdentity): void {
  database.exec(`
    update notebooks set skipped = skipped + (
      select count(*) from occurrences o join revised r on r.row = o.cell
        where o.notebook = notebooks.row and r.vector is null);
    delete from occurrences where cell in (select row from revised where vector is null);
    delete from cells where row in (select row from revised where vector is null);
    update cells set (labels, primary_label, vector) =
      (select r.labels, r.primary_label, r.vector from revised r where r.row = cells.row);
    drop table revised;
  `);
  writeIdentity(database, identity);
}
