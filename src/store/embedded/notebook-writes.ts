import type { Notebook } from "../vector-store.js";
import type { Database } from "./database.js";
import { toKey } from "./hex-id.js";
import type { CountChanges } from "./state.js";

/** By cell, how many occurrences more or fewer it has. */
export type HeldChanges = Map<number, number>;

interface NotebookRow {
  readonly row: number;
  readonly source: Buffer;
  readonly name: Buffer;
}

/** Puts notebooks and where their cells stand into the tables; what that does to the counters is told, not done. */
export function createNotebookWrites(database: Database) {
  const byId = database
    .prepare<[string]>("select row, cast(source as blob), cast(name as blob) from notebooks where id = unhex(?)")
    .raw();
  const stored = database
    .prepare<[string]>("select cast(version as blob), cast(facts as blob) from notebooks where id = unhex(?)")
    .raw();
  const size = database.prepare<[string]>("select cells from notebooks where id = unhex(?)").raw();
  const insert = database.prepare<[Buffer, Buffer, Buffer, Buffer, number, number, Buffer]>(
    "insert into notebooks (id, source, name, version, skipped, cells, facts) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const update = database.prepare<[Buffer, number, number, Buffer, number]>(
    "update notebooks set version = ?, skipped = ?, cells = ?, facts = ? where row = ?",
  );
  const remove = database.prepare<[number]>("delete from notebooks where row = ?");
  const positionsOf = database.prepare<[number]>("select cell_index, cell from positions where notebook = ?").raw();
  const insertPosition = database.prepare<[number, number, number]>(
    "insert into positions (notebook, cell_index, cell) values (?, ?, ?)",
  );
  const deletePosition = database.prepare<[number, number]>(
    "delete from positions where notebook = ? and cell_index = ?",
  );
  const insertOccurrence = database.prepare<[number, Buffer, Buffer, number, number]>(
    "insert into occurrences (cell, source, name, cell_index, notebook) values (?, ?, ?, ?, ?)",
  );
  const deleteOccurrence = database.prepare<[number, Buffer, Buffer, number, number]>(
    "delete from occurrences where cell = ? and source = ? and name = ? and cell_index = ? and notebook = ?",
  );

  const find = (id: string): NotebookRow | null => {
    const found = byId.get(id) as [number, Buffer, Buffer] | undefined;
    return found === undefined ? null : { row: found[0], source: found[1], name: found[2] };
  };
  const change = (held: HeldChanges, cell: number, by: number) => held.set(cell, (held.get(cell) ?? 0) + by);
  /** Only what differs is written: who saves a notebook has mostly changed one cell. */
  const setPositions = (
    { row, source, name }: NotebookRow,
    wanted: ReadonlyMap<number, number>,
    held: HeldChanges,
  ): number => {
    const before = new Map(positionsOf.all(row) as [number, number][]);
    for (const [cellIndex, cell] of before) {
      if (wanted.get(cellIndex) === cell) continue;
      deletePosition.run(row, cellIndex);
      deleteOccurrence.run(cell, source, name, cellIndex, row);
      change(held, cell, -1);
    }
    for (const [cellIndex, cell] of wanted) {
      if (before.get(cellIndex) === cell) continue;
      insertPosition.run(row, cellIndex, cell);
      insertOccurrence.run(cell, source, name, cellIndex, row);
      change(held, cell, 1);
    }
    return wanted.size - before.size;
  };

  return {
    sizeOf: (id: string): number => (size.get(id) as [number] | undefined)?.[0] ?? 0,

    /** Whether it is there with another version or other facts. */
    differs({ id, version, facts }: Notebook): boolean {
      const found = stored.get(id) as [Buffer, Buffer] | undefined;
      return found !== undefined && (found[0].toString() !== version || found[1].toString() !== JSON.stringify(facts));
    },

    /** `rows` are those of the cells that are stored; the others count as skipped. */
    put(notebook: Notebook, rows: ReadonlyMap<string, number>, held: HeldChanges, counts: CountChanges): void {
      const wanted = new Map(
        notebook.cells.flatMap(({ cellIndex, id }) => (rows.has(id) ? [[cellIndex, rows.get(id)!] as const] : [])),
      );
      const skipped = notebook.skipped + notebook.cells.length - wanted.size;
      const version = Buffer.from(notebook.version);
      const facts = Buffer.from(JSON.stringify(notebook.facts));
      const existing = find(notebook.id);
      const [source, name] = [Buffer.from(notebook.source), Buffer.from(notebook.name)];
      if (existing === null) {
        insert.run(toKey(notebook.id), source, name, version, skipped, wanted.size, facts);
        counts.notebooks += 1;
      } else update.run(version, skipped, wanted.size, facts, existing.row);
      counts.occurrences += setPositions(existing ?? find(notebook.id)!, wanted, held);
    },

    remove(id: string, held: HeldChanges, counts: CountChanges): boolean {
      const existing = find(id);
      if (existing === null) return false;
      counts.occurrences += setPositions(existing, new Map(), held);
      counts.notebooks -= 1;
      remove.run(existing.row);
      return true;
    },
  };
}
