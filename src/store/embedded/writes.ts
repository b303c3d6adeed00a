import { checksum, isId, toKey, writeVector } from "../stored-bytes.js";
import type { IndexIdentity, NewCell, Notebook, WriteOutcome } from "../vector-store.js";
import { type Database, inTransaction } from "./database.js";
import type { LabelCodec } from "./label-bits.js";
import { type CountChanges, noChanges, recount, type State, startGeneration } from "./state.js";
/** Maximum number of listed removals; then the older half is deleted from the list. */
export const KEPT_REMOVALS = 50_000;

/** Every change is one transaction, counters included. */
export function createWrites(
  database: Database,
  state: State,
  codec: LabelCodec,
  identity: IndexIdentity,
  keptRemovals: number,
) {
  const cellWrites = createCellWrites(database, codec, keptRemovals);
  const notebookWrites = createNotebookWrites(database);
  /** Cells without an occurrence are removed last: one may have moved to another notebook of the batch. */
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
        // Cells without an occurrence are deleted.
        for (const id of added) if (rows.has(id)) held.set(rows.get(id)!, 0);
        for (const notebook of notebooks) notebookWrites.put(notebook, rows, held, counts);
        return { labels: new Map([...stored].map(([id, { labels }]) => [id, labels])), added, replaced };
      }),

    /** Number of cells of a notebook; 0 if it does not exist. */
    sizeOf: (id: string): number => (isId(id) ? notebookWrites.sizeOf(id) : 0),

    /** Returns how many of these notebooks existed. */
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

/** For each cell, the change of its number of occurrences. */
type HeldChanges = Map<number, number>;

interface NotebookRow {
  readonly row: number;
  readonly source: Buffer;
  readonly name: Buffer;
}

/** Writes notebooks and their occurrences. Changes of the counters are returned, not written. */
function createNotebookWrites(database: Database) {
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
  /** Writes only the differences, because a saved notebook usually has one changed cell. */
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

    /** Whether the notebook is stored with another version or other facts. */
    differs({ id, version, facts }: Notebook): boolean {
      const found = stored.get(id) as [Buffer, Buffer] | undefined;
      return found !== undefined && (found[0].toString() !== version || found[1].toString() !== JSON.stringify(facts));
    },

    /** `rows` has the stored cells; cells that are missing in it count as skipped. */
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

/** Inserts cells, and deletes those without an occurrence. */
function createCellWrites(database: Database, codec: LabelCodec, keptRemovals: number) {
  const insert = database.prepare<[Buffer, Buffer, Buffer, number, number, number]>(
    `insert into cells (id, code, clean, labels, primary_label, checksum) values (?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`,
  );
  const insertVector = database.prepare<[number, Buffer, Buffer | null]>(
    "insert into vectors (row, vector, profile) values (?, ?, ?)",
  );
  const known = database
    .prepare<[string]>(
      `select j.key, c.row, cast(c.labels as integer), cast(c.primary_label as integer)
        from json_each(?) j cross join cells c on c.id = unhex(j.value)`,
    )
    .raw();
  const addHeld = database.prepare<[number, number]>(
    `insert into held (cell, occurrences) values (?, ?)
      on conflict (cell) do update set occurrences = occurrences + excluded.occurrences`,
  );
  const heldOf = database
    .prepare<[number]>(
      "select cast(h.occurrences as integer), cast(c.labels as integer) from held h join cells c on c.row = h.cell where h.cell = ?",
    )
    .raw();
  const deletions = ["cells where row", "vectors where row", "held where cell"].map((what) =>
    database.prepare<[number]>(`delete from ${what} = ?`),
  );
  const noteRemoval = database.prepare<[number]>("insert into removed (row) values (?)");
  const lastRemoval = database
    .prepare("select max(seq), cast((select pruned from state) as integer) from removed")
    .raw();
  const forget = database.prepare<[number]>("delete from removed where seq <= ?");
  const setPruned = database.prepare<[number]>("update state set pruned = ?");
  const tally = (counts: CountChanges, bits: number, by: number) => {
    counts.cells += by;
    counts.labels.set(bits, (counts.labels.get(bits) ?? 0) + by);
  };

  return {
    /** False if the cell was stored already. */
    put({ id, code, clean, labels, primary, vector, profile }: NewCell, counts: CountChanges): boolean {
      const { bits, primary: main } = codec.encode(labels, primary);
      const cleaned = Buffer.from(clean);
      const { changes, lastInsertRowid } = insert.run(
        toKey(id),
        Buffer.from(code),
        cleaned,
        bits,
        main,
        checksum(cleaned, bits, main),
      );
      if (changes === 0) return false;
      insertVector.run(
        Number(lastInsertRowid),
        writeVector(vector),
        profile === undefined ? null : Buffer.from(profile),
      );
      tally(counts, bits, 1);
      return true;
    },

    /** Row and labels of each given cell that is stored. */
    known: (ids: readonly string[]): Map<string, { row: number; labels: readonly string[] }> =>
      new Map(
        (known.all(JSON.stringify(ids)) as [number, number, number, number][]).map(([key, row, bits, primary]) => [
          ids[key]!,
          { row, labels: codec.decode({ bits, primary }).labels },
        ]),
      ),

    /** Deletes a cell without an occurrence, and logs its row for replicas. */
    hold(held: HeldChanges, counts: CountChanges): void {
      for (const [cell, by] of held) {
        if (by !== 0) addHeld.run(cell, by);
        const [occurrences, bits] = heldOf.get(cell) as [number, number];
        if (occurrences > 0) continue;
        for (const deletion of deletions) deletion.run(cell);
        noteRemoval.run(cell);
        tally(counts, bits, -1);
      }
    },

    /** Shortens the log of removals. A replica that missed deleted entries compares all rows. */
    prune(): void {
      const [last, pruned] = lastRemoval.get() as [number | null, number];
      if (last === null || last - pruned <= keptRemovals) return;
      const upTo = last - Math.floor(keptRemovals / 2);
      forget.run(upTo);
      setPruned.run(upTo);
    },
  };
}
