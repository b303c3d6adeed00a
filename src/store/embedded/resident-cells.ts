import { setImmediate as nextTurn } from "node:timers/promises";
import { BLOCK } from "./cell-block.js";
import { type CellTable, createCellTable } from "./cell-table.js";
import { type Cursor, createChanges, type Follower } from "./changes.js";
import type { Database } from "./database.js";
import { createFollowing } from "./following.js";
import { createGraph, type Graph, type GraphPart } from "./graph.js";
import { damaged } from "./guard.js";
import { loadCells } from "./load-cells.js";
import { loadParts } from "./load-parts.js";
import type { Snapshots } from "./snapshots.js";
import type { IndexState, State } from "./state.js";
import { createTail } from "./tail.js";
import { readVector } from "./vector-blob.js";

/** A longer tail costs more to scan than the graph saves. */
const LONGEST_TAIL = 100_000;

export interface ResidentDeps {
  readonly database: Database;
  readonly folder: string;
  readonly state: State;
  readonly snapshots: Snapshots;
  readonly dimensions: number;
  readonly exactBelow: number;
  /** Whether questions are answered while rows are taken in. */
  readonly lags: boolean;
}

export interface Loaded {
  readonly state: IndexState;
  table: CellTable;
  readonly cursor: Cursor;
  /** The parts of the graph; what they do not cover is in the tail of `graph`, which is null where a scan is as good. */
  parts: readonly GraphPart[];
  graph: Graph | null;
}

/**
 * What a vector search needs in memory. It follows the database: rows that any process commits are there for the next
 * search. Many at a time are taken in slice by slice, so that others are answered meanwhile.
 */
export function createResidentCells(deps: ResidentDeps) {
  const { database, folder, state, snapshots, dimensions, exactBelow, lags } = deps;
  const catchUp = createChanges(
    database,
    state,
    `cast(c.id as blob), cast(c.labels as integer), cast(c.primary_label as integer), cast(v.vector as blob)
      from cells c left join vectors v on v.row = c.row`,
  );

  const toFollower = (into: Loaded): Follower => ({
    add([row, id, bits, primary, blob]) {
      const vector = readVector(blob, dimensions);
      if (vector === null || (id as Buffer)?.length !== 32) {
        throw damaged(folder, `the vector or the id of row ${row} is not what was stored`);
      }
      const { table, graph } = into;
      table.add({ row: row as number, id: id as Buffer, bits: bits as number, primary: primary as number, vector });
      if (graph === null) return;
      graph.tail.add(row as number, table.vectorOf(table.slotOf(row as number)) as Int8Array);
      if (graph.tail.length > LONGEST_TAIL) into.graph = null;
    },
    remove: (row) => into.table.remove(row),
    rows: () => into.table.rowsAfter(0),
  });

  const graphFiles = () => snapshots.list("graph").join();
  /** The files that were there when parts were read last. */
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
    const fresh: Loaded = { state: now, table, cursor, parts: [], graph: null };
    if (cells >= exactBelow) fresh.parts = await readParts(now);
    return fresh;
  };

  const { current, nearby, forget, loadedOf } = createFollowing<Loaded>({
    state,
    lags,
    load,
    // Where cells have gone, a table of bytes may have to be exact again.
    isUsable: ({ table }) => table.precision === "float" || state.counts([]).cells >= exactBelow,
    async advance(into, isFresh) {
      if (!(await catchUp(toFollower(into), into.cursor, into.state.generation))) return false;
      if (into.table.precision === "float" && into.table.size >= exactBelow) into.table = await toBytes(into.table);
      if (isFresh) coverTail(into);
      return true;
    },
  });

  return {
    current,
    nearby,
    forget,

    /** Takes over parts of the graph that somebody else has built since. A file that is of no use is read once. */
    async adoptParts(): Promise<void> {
      const { state: now, table, parts } = await current();
      if (table.precision === "float") return;
      if (graphFiles() === adopted) return;
      const found = await readParts(now);
      if ((found.at(-1)?.row ?? 0) > (parts.at(-1)?.row ?? 0)) this.replaceParts(now.generation, found);
    },

    /** Puts other parts in the place of the graph's; the tail is what they leave. */
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
  if (rows.length > LONGEST_TAIL) return;
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
