import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { RecommenderError } from "../../errors.js";
import type { IndexIdentity, NewCell, Notebook } from "../vector-store.js";
import { CELLS, type Database, foldLog } from "./database.js";

/** If the change leaves this many bytes free, no exact check is needed. */
const AMPLE_BYTES = 2 ** 26;
/** Additional bytes of any change, for rewritten pages. */
const OVERHEAD_BYTES = 2 ** 17;
/** Bytes of a cell without its vector and text, and bytes of an occurrence. */
const CELL_BYTES = 1_500;
const PLACE_BYTES = 300;

/**
 * Refuses a change that does not fit on the disk. A change needs its size twice, in the log and in the file. A log that
 * cannot be folded into the file never shrinks, and then nothing could be removed.
 */
export function requireDiskSpace(folder: string, database: Database, bytes: number): void {
  if (freeBytes(folder) >= AMPLE_BYTES + 2 * bytes) return;
  foldLog(database);
  const growth = bytes + logSize(folder) - unusedBytes(database);
  const needed = bytes + Math.max(0, growth) + OVERHEAD_BYTES;
  const left = freeBytes(folder);
  if (left >= needed) return;
  throw new RecommenderError(
    "DISK_FULL",
    `The index in ${folder} cannot grow: the disk is full, with ${inKilobytes(left)} KB left of the ${inKilobytes(needed)} KB that this takes; make room and repeat the command.`,
  );
}

/** Estimated size of a change; a text is stored raw and cleaned. */
export function estimateWrite(
  notebooks: readonly Notebook[],
  made: readonly NewCell[],
  { dimensions }: IndexIdentity,
): number {
  const places = notebooks.reduce((sum, { cells }) => sum + cells.length, 0);
  const texts = made.reduce((sum, { code, clean }) => sum + Buffer.byteLength(code) + Buffer.byteLength(clean), 0);
  return texts + made.length * (4 * dimensions + CELL_BYTES) + places * PLACE_BYTES;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Bytes of the log that are not in the file yet. */
function logSize(folder: string): number {
  const log = join(folder, `${CELLS}-wal`);
  return existsSync(log) ? statSync(log).size : 0;
}

/** Free pages inside the file. */
function unusedBytes(database: Database): number {
  const [pages] = database.prepare("pragma freelist_count").raw().get() as [number];
  const [size] = database.prepare("pragma page_size").raw().get() as [number];
  return pages * size;
}

function inKilobytes(bytes: number): number {
  return Math.ceil(bytes / 1_024);
}
