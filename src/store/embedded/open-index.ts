import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMismatch } from "../identity.js";
import type { IndexIdentity } from "../vector-store.js";
import { type CellReads, createCellReads } from "./cell-reads.js";
import { CELLS, type Database, hasTable, MARK, openDatabase, READER_PAGE_CACHE } from "./database.js";
import { damaged, unrecoverable } from "./disk-errors.js";
import { createLabelCodec, type LabelCodec } from "./label-bits.js";
import { createNotebookReads } from "./notebook-reads.js";
import { createOccurrenceReads } from "./occurrence-reads.js";
import { createPassingRows } from "./passing-rows.js";
import { createResidentCells, type ResidentCells } from "./resident-cells.js";
import { createResidentWords, type ResidentWords } from "./resident-words.js";
import { createScheduledWrites, type ScheduledWrites, type WriteLimits } from "./scheduled-writes.js";
import { createSnapshots, type FileSharing, type Snapshots } from "./snapshots.js";
import { checkLayout, createState, createTables, LAYOUT_1_TABLE, type State } from "./state.js";
import { createWrites } from "./writes.js";

interface OpenOptions {
  readonly folder: string;
  readonly identity: IndexIdentity;
  readonly create: boolean;
  readonly exactBelow: number;
  readonly keptRemovals: number;
  readonly limits: WriteLimits;
  /** Whether queries are answered while new rows are read. */
  readonly allowsStale: boolean;
  readonly sharing?: FileSharing;
}

/** An open database with the objects that read and write it. */
export interface Index {
  readonly database: Database;
  readonly codec: LabelCodec;
  readonly state: State;
  readonly snapshots: Snapshots;
  readonly reads: CellReads;
  readonly notebooks: ReturnType<typeof createNotebookReads>;
  readonly occurrences: ReturnType<typeof createOccurrenceReads>;
  readonly writes: ScheduledWrites;
  readonly cells: ResidentCells;
  readonly words: ResidentWords;
  readonly passing: ReturnType<typeof createPassingRows>;
  /** Throws if the identity of the index has changed. */
  check(): void;
  /** Whether the opened file is still in place, was deleted, or was replaced. */
  place(): "same" | "gone" | "other";
}

/** Opens the database, creates the tables of a new index, and creates the readers and writers. Loads nothing yet. */
export function openIndex(options: OpenOptions): Index {
  const { folder, identity, create, exactBelow, keptRemovals, limits, allowsStale, sharing } = options;
  // Only threads that leave writing to another one may answer from stale data.
  const database = openDatabase(folder, create, allowsStale ? READER_PAGE_CACHE : undefined);
  const opened = statSync(join(folder, CELLS));
  const mark = join(folder, MARK);
  if (hasTable(database, "state") || hasTable(database, LAYOUT_1_TABLE)) checkLayout(database, folder);
  else if (existsSync(mark)) throw unrecoverable(folder, `${CELLS} is empty although the index was not`);
  else createTables(database, folder, identity);
  const state = createState(database, folder);
  const now = state.read();
  if (now === null) throw damaged(folder, `${CELLS} has no identity of the index`);
  const isMarked = existsSync(mark) && readFileSync(mark, "utf8") === now.index;
  const snapshots = createSnapshots(folder, sharing);
  ifWritable(() => {
    if (!isMarked) writeFileSync(mark, now.index);
    snapshots.dropNewer(state.read);
  });
  const codec = createLabelCodec(identity.labels);
  const reads = createCellReads(database, folder, codec, identity.dimensions);
  const { dimensions } = identity;
  const writes = createWrites(database, state, codec, identity, keptRemovals);
  const countCells = () => state.counts([]).cells;
  let checked: string | null = null;

  return {
    database,
    codec,
    state,
    snapshots,
    reads,
    notebooks: createNotebookReads(database, folder),
    occurrences: createOccurrenceReads(database, folder, reads),
    writes: createScheduledWrites(writes, countCells, { folder, identity, keptRemovals }, limits),
    cells: createResidentCells({ database, folder, state, snapshots, dimensions, exactBelow, allowsStale }),
    words: createResidentWords({ database, folder, state, snapshots, allowsStale }),
    passing: createPassingRows(database, state),
    check() {
      const { generation } = state.read()!;
      if (generation === checked) return;
      const mismatch = describeMismatch(`The index in ${folder}`, state.identity(), identity);
      if (mismatch !== null) throw mismatch;
      checked = generation;
    },
    place() {
      const now = statSync(join(folder, CELLS), { throwIfNoEntry: false });
      if (now === undefined) return "gone";
      return now.ino === opened.ino && now.dev === opened.dev ? "same" : "other";
    },
  };
}

/** Ignores errors of a read-only folder. */
function ifWritable(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!/EROFS|EACCES|EPERM/.test(String((error as { code?: unknown }).code))) throw error;
  }
}
