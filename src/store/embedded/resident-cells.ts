import { setImmediate as nextTurn } from "node:timers/promises";
import { readVector } from "../stored-bytes.js";
import { BLOCK, blockSize, type CellTable, createBlock, createCellTable } from "./cell-table.js";
import type { Database } from "./database.js";
import { damaged } from "./disk-errors.js";
import { createGraph, createTail, type Graph, type GraphPart, loadParts } from "./graph.js";
import { createProfileArena, loadProfiles, type ProfileArena, readProfiles, saveProfiles } from "./profile-arena.js";
import { type ChangeSink, type Cursor, createChanges, createReplica } from "./replica.js";
import type { SnapshotFacts, Snapshots } from "./snapshots.js";
import type { IndexState, State } from "./state.js";

/** Maximum rows of the tail; scanning a longer tail costs more than the graph saves. */
const MAX_TAIL_ROWS = 100_000;

interface ResidentDeps {
  readonly database: Database;
  readonly folder: string;
  readonly state: State;
  readonly snapshots: Snapshots;
  readonly dimensions: number;
  readonly exactBelow: number;
  /** Whether queries are answered while new rows are read. */
  readonly allowsStale: boolean;
}

export interface Loaded {
  readonly state: IndexState;
  table: CellTable;
  readonly cursor: Cursor;
  readonly profiles: ProfileArena;
  /**
   * The parts of the graph. The rows that they do not cover are in the tail of `graph`, which is null if a scan is as
   * fast.
   */
  parts: readonly GraphPart[];
  graph: Graph | null;
}

/**
 * The in-memory data of vector search, a replica of the database: rows that any process commits are found by the next
 * search. Many rows are read slice by slice, so that queries are answered meanwhile.
 */
export function createResidentCells(deps: ResidentDeps) {
  const { database, folder, state, snapshots, dimensions, exactBelow, allowsStale } = deps;
  const catchUp = createChanges(
    database,
    state,
    `cast(c.id as blob), cast(c.labels as integer), cast(c.primary_label as integer), cast(v.vector as blob),
      cast(v.profile as blob) from cells c left join vectors v on v.row = c.row`,
  );

  const toSink = (into: Loaded): ChangeSink => ({
    add([row, id, bits, primary, blob, profile]) {
      const vector = readVector(blob, dimensions);
      if (vector === null || (id as Buffer)?.length !== 32) {
        throw damaged(folder, `the vector or the id of row ${row} differs from what was stored`);
      }
      const { table, graph, profiles } = into;
      if (profile !== null) profiles.set(row as number, profile as Buffer);
      table.add({ row: row as number, id: id as Buffer, bits: bits as number, primary: primary as number, vector });
      if (graph === null) return;
      graph.tail.add(row as number, table.vectorOf(table.slotOf(row as number)) as Int8Array);
      if (graph.tail.length > MAX_TAIL_ROWS) into.graph = null;
    },
    remove(row) {
      into.table.remove(row);
      into.profiles.delete(row);
    },
    rows: () => into.table.rowsAfter(0),
  });

  const graphFiles = () => snapshots.list("graph").join();
  /** The files that existed when parts were last read. */
  let adopted: string | null = null;
  const readParts = (now: IndexState) => {
    adopted = graphFiles();
    return loadParts(snapshots, now, dimensions);
  };

  const load = async (now: IndexState): Promise<Loaded> => {
    const { cells } = state.counts([]);
    const saved = cells < exactBelow ? null : await loadCells(snapshots, now, dimensions);
    const table = saved?.table ?? createCellTable(dimensions, cells < exactBelow ? "float" : "byte");
    const cursor = saved?.cursor ?? { row: 0, removal: null, commits: -1 };
    const kept = saved === null ? null : await loadProfiles(snapshots, now);
    const profiles = kept ?? createProfileArena();
    if (saved !== null && kept === null) await readProfiles(database, cursor.row, profiles);
    const fresh: Loaded = { state: now, table, cursor, profiles, parts: [], graph: null };
    if (cells >= exactBelow) fresh.parts = await readParts(now);
    return fresh;
  };

  const { current, nearby, forget, loadedOf } = createReplica<Loaded>({
    state,
    allowsStale,
    load,
    // After removals, a quantized table may have to become exact again.
    isUsable: ({ table }) => table.precision === "float" || state.counts([]).cells >= exactBelow,
    async advance(into, isFresh) {
      if (!(await catchUp(toSink(into), into.cursor, into.state.generation))) return false;
      if (into.table.precision === "float" && into.table.size >= exactBelow) into.table = await toBytes(into.table);
      if (isFresh) coverTail(into);
      return true;
    },
  });

  return {
    current,
    nearby,
    forget,

    /** Loads parts of the graph that another process has built. An unusable file is read only once. */
    async adoptParts(): Promise<void> {
      const { state: now, table, parts } = await current();
      if (table.precision === "float") return;
      if (graphFiles() === adopted) return;
      const found = await readParts(now);
      if ((found.at(-1)?.row ?? 0) > (parts.at(-1)?.row ?? 0)) this.replaceParts(now.generation, found);
    },

    /** Replaces the parts of the graph; the tail holds the rows that they do not cover. */
    replaceParts(generation: string, parts: readonly GraphPart[]): void {
      const loaded = loadedOf(generation);
      if (loaded === null) return;
      loaded.parts = parts;
      coverTail(loaded);
    },
  };
}

export type ResidentCells = ReturnType<typeof createResidentCells>;

function coverTail(loaded: Loaded): void {
  const { table, parts } = loaded;
  loaded.graph = null;
  if (parts.length === 0 || table.precision === "float") return;
  const rows = table.rowsAfter(parts.at(-1)!.row);
  if (rows.length > MAX_TAIL_ROWS) return;
  const tail = createTail(table.dimensions);
  for (const row of rows) tail.add(row, table.vectorOf(table.slotOf(row)) as Int8Array);
  loaded.graph = createGraph(parts, tail);
}

async function toBytes(from: CellTable): Promise<CellTable> {
  const table = createCellTable(from.dimensions, "byte");
  for (let slot = 0; slot < from.slots; slot += 1) {
    if (slot % BLOCK === BLOCK - 1) await nextTurn();
    const cell = from.cellOf(slot);
    if (cell !== null) table.add(cell);
  }
  return table;
}

/** Changes with the layout of a block. */
export const CELLS_FORMAT = "cells-1";

interface CellsInMemory {
  readonly table: CellTable;
  readonly cursor: Cursor;
}

/** The cells of a saved table; null if there is no intact one. */
async function loadCells(snapshots: Snapshots, state: IndexState, dimensions: number): Promise<CellsInMemory | null> {
  const snapshot = snapshots.find("cells", CELLS_FORMAT, state).at(-1);
  if (snapshot === undefined) return null;
  const { row, removal, commits, parts } = snapshot.facts;
  if (parts.dimensions !== dimensions) return null;
  const blocks = await snapshots.readShared(snapshot, async ({ read }) => {
    const found: Uint8Array[] = [];
    while (found.length < parts.blocks!) {
      const bytes = new Uint8Array(new SharedArrayBuffer(blockSize(dimensions, "byte")));
      if (!read(bytes)) return null;
      // Rows that came while the file was written are read from the database.
      const { rows } = createBlock(dimensions, "byte", bytes);
      for (let at = 0; at < BLOCK; at += 1) if (rows[at]! > row) rows[at] = 0;
      found.push(bytes);
      await nextTurn();
    }
    return found;
  });
  if (blocks === null) return null;
  const table = createCellTable(dimensions, "byte", blocks.length * BLOCK);
  for (const bytes of blocks) {
    table.load(createBlock(dimensions, "byte", bytes));
    await nextTurn();
  }
  return { table, cursor: { row, removal, commits } };
}

/** Saves the table block by block. Changes meanwhile do no harm: rows after the cursor are ignored on loading. */
export async function saveCells(
  snapshots: Snapshots,
  { index, generation }: IndexState,
  { table, cursor, profiles }: Pick<Loaded, "table" | "cursor" | "profiles">,
): Promise<void> {
  const facts: SnapshotFacts = {
    format: CELLS_FORMAT,
    index,
    generation,
    commits: cursor.commits,
    row: cursor.row,
    removal: cursor.removal ?? 0,
    parts: { blocks: table.blocks.length, dimensions: table.dimensions },
  };
  await snapshots.write(
    "cells",
    facts,
    table.blocks.slice(0, facts.parts.blocks).map(({ bytes }) => bytes),
  );
  await saveProfiles(snapshots, facts, profiles);
}
