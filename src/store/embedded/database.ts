import { existsSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { RecommenderError } from "../../errors.js";
import { makeFolders } from "../../notebook/file-system.js";
import { damaged, unrecoverable } from "./disk-errors.js";
export type Database = Libsql.Database;
export type Statement<Parameters extends unknown[]> = Libsql.Statement<Parameters>;

/** The SQLite file of an index: the source of truth. */
export const CELLS = "cells.db";
/**
 * A file that marks the folder of an index. Without it, a missing or truncated database would look like a new index.
 */
export const MARK = "index-id";
const BUSY_MS = 10_000;
/** Page size. Seven vectors fit on a page, and only one cell in a hundred needs an overflow page. */
const PAGE = 8_192;
/** Page cache in KiB: holds the inner pages of a million cells, so that a row costs one read. */
const PAGE_CACHE = 16_384;
/**
 * Page cache of a thread that only reads. It fetches the cells that it shows by row number, and the inner pages of
 * those tables fit even with a million cells.
 */
export const READER_PAGE_CACHE = 4_096;
/** Size limit of the log, one megabyte: on a full disk, a checkpoint needs that much from the reserve. */
const LOG_PAGES = 128;

/** Opens the SQLite file of an index; with `create`, creates a missing one. A commit is on the disk when it returns. */
export function openDatabase(folder: string, create: boolean, pageCache = PAGE_CACHE): Database {
  if (create) makeFolders(folder);
  checkPlace(folder, create);
  const database = connectWithReserve(folder, () => connect(join(folder, CELLS), pageCache));
  database.exec(`pragma synchronous = FULL; pragma temp_store = MEMORY; pragma wal_autocheckpoint = ${LOG_PAGES}`);
  return database;
}

/** Opens a damaged index for reading, even if its file is truncated. */
export function openDamaged(folder: string): Database {
  checkPlace(folder, false);
  const database = new Libsql(join(folder, CELLS), { timeout: BUSY_MS });
  database.exec("pragma writable_schema = on; pragma temp_store = MEMORY");
  return database;
}

/** Throws for a folder without an index. A folder without read permission is a different error. */
function checkPlace(folder: string, create: boolean): void {
  const isThere = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  if (isThere(CELLS)) return;
  if (isThere(MARK)) throw unrecoverable(folder, `${CELLS} is missing`);
  if (create) return;
  throw new RecommenderError(
    "NOT_FOUND",
    `There is no index in ${folder}. Is the folder right? celrec index creates one.`,
  );
}

/** Opening also needs some disk space. On a full disk it is taken from the reserve. */
function connectWithReserve(folder: string, connect: () => Database): Database {
  try {
    return connect();
  } catch (error) {
    if (!isFull(folder)) throw error;
    if (createReserve(folder).lend()) return connect();
    throw new RecommenderError(
      "DISK_FULL",
      `The index in ${folder} cannot be opened: the disk is full; make room and repeat the command.`,
      { cause: error },
    );
  }
}

function connect(file: string, pageCache: number): Database {
  try {
    const database = new Libsql(file, { timeout: BUSY_MS });
    database.exec(`pragma page_size = ${PAGE}; pragma journal_mode = WAL; pragma cache_size = -${pageCache}`);
    // Reads, because a connection without -wal and -shm files fails only at its first read.
    hasTable(database, "state");
    return database;
  } catch (error) {
    if (!isReadOnly(error) || !existsSync(file)) throw error;
    return connectReadOnly(file);
  }
}

/** On a read-only disk SQLite cannot take locks, and needs none, since nothing can write there. */
function connectReadOnly(file: string): Database {
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) {
    throw damaged(join(file, ".."), `${CELLS}-wal has changes that only a writer can apply, and the disk is read-only`);
  }
  return new Libsql(`${pathToFileURL(file).href}?immutable=1`, { timeout: BUSY_MS });
}

/**
 * Folds the write-ahead log into the file, so that a copy of the file is complete. If that fails, the log stays and
 * nothing is lost.
 */
export function foldLog(database: Database): void {
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // The next writer folds the log.
  }
}

export function hasTable(database: Database, name: string): boolean {
  return database.prepare<[string]>("select 1 from sqlite_master where name = ?").raw().get(name) !== undefined;
}

function isFull(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < OPENING_BYTES;
}

function isReadOnly(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return /SQLITE_(CANTOPEN|READONLY)|[Uu]nable to open|readonly/.test(`${code} ${message}`);
}

const FILE = "reserve";
/**
 * Size limits of the reserve. It covers folding the log into the file, and the pages that a removal writes before it
 * frees any.
 */
const MAX_RESERVE_BYTES = 2 ** 21;
const MIN_RESERVE_BYTES = 2 ** 16;
/** Disk space for opening an index: the shared-memory file of the log, and the lock file. */
const OPENING_BYTES = 2 ** 16;
/** The reserve's maximum share of the free space. */
const MAX_RESERVE_SHARE = 1 / 8;

/** Disk space reserved for removals, which could not be written on a full disk otherwise. */
export function createReserve(folder: string) {
  const file = join(folder, FILE);
  return {
    /** Creates the reserve if there is none. `wanted` is its size; by default a share of the free space. */
    keep(wanted?: number): void {
      if (existsSync(file)) return;
      try {
        const { bavail, bsize } = statfsSync(folder);
        const left = bavail * bsize;
        const size = Math.floor(Math.min(left, wanted ?? Math.min(MAX_RESERVE_BYTES, left * MAX_RESERVE_SHARE)));
        // Filled with ones, because some file systems do not allocate blocks for zeros.
        if (size >= MIN_RESERVE_BYTES) writeFileSync(file, Buffer.alloc(size, 1));
      } catch {
        rmSync(file, { force: true });
      }
    },
    /** Frees as much as opening an index needs; false if the reserve is smaller. */
    lend(): boolean {
      const size = existsSync(file) ? statSync(file).size : 0;
      if (size < OPENING_BYTES) return false;
      truncateSync(file, size - OPENING_BYTES);
      return true;
    },
    /** Frees the whole reserve and returns its size. */
    release(): number {
      const size = existsSync(file) ? statSync(file).size : 0;
      rmSync(file, { force: true });
      return size;
    },
  };
}

/**
 * Runs a transaction. The driver's own `transaction` is not used: if SQLite has already rolled back (full disk), it
 * rolls back again, which fails and hides the reason.
 */
export function inTransaction<T>(database: Database, action: () => T, kind: "immediate" | "deferred" = "immediate"): T {
  database.exec(`begin ${kind}`);
  try {
    const result = action();
    database.exec("commit");
    return result;
  } catch (error) {
    if (database.inTransaction) rollback(database);
    throw error;
  }
}

/** A connection that cannot roll back is closed; the first error is the cause. */
function rollback(database: Database): void {
  try {
    database.exec("rollback");
  } catch {
    database.close();
  }
}
