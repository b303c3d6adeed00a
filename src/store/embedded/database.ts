import { existsSync, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { RecommenderError } from "../../errors.js";
import { makeFolders } from "../../notebook/file-system.js";
import { damaged, lost } from "./guard.js";
export type Database = Libsql.Database;
export type Statement<Parameters extends unknown[]> = Libsql.Statement<Parameters>;

/** The SQLite file of an index: the truth. */
export const CELLS = "cells.db";
/** Says that there is an index here: without a database, or with one that was cut to nothing, it would look like a new one. */
export const MARK = "index-id";
const BUSY_MS = 10_000;
/** Seven vectors fit on a page, and one cell in a hundred needs another one. */
const PAGE = 8_192;
/** Kibibytes of pages in memory: those above the leaves of a million cells, so that a row costs one read. */
const PAGE_CACHE = 16_384;
/** A megabyte: when a disk is full, bringing the log into the file takes as much, which is in the reserve. */
const LOG_PAGES = 128;

/** Opens the SQLite file of an index, making it where there is none and `create`. A commit is on the disk when it returns. */
export function openDatabase(folder: string, create: boolean): Database {
  if (create) makeFolders(folder);
  checkPlace(folder, create);
  const database = connectWithRoom(folder, () => connect(join(folder, CELLS)));
  database.exec(`pragma synchronous = FULL; pragma temp_store = MEMORY; pragma wal_autocheckpoint = ${LOG_PAGES}`);
  return database;
}

/** For reading what is left of a damaged index: one that was cut off is not refused as a whole. */
export function openDamaged(folder: string): Database {
  checkPlace(folder, false);
  const database = new Libsql(join(folder, CELLS), { timeout: BUSY_MS });
  database.exec("pragma writable_schema = on; pragma temp_store = MEMORY");
  return database;
}

/** A folder that may not be looked into is not one without an index. */
function checkPlace(folder: string, create: boolean): void {
  const isThere = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  if (isThere(CELLS)) return;
  if (isThere(MARK)) throw lost(folder, `${CELLS} has gone`);
  if (create) return;
  throw new RecommenderError(
    "NOT_FOUND",
    `There is no index in ${folder}. Is the folder right? celrec index makes one.`,
  );
}

/** Opening takes a little room, too; where the disk has none, the reserve has. */
function connectWithRoom(folder: string, connect: () => Database): Database {
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

function connect(file: string): Database {
  try {
    const database = new Libsql(file, { timeout: BUSY_MS });
    database.exec(`pragma page_size = ${PAGE}; pragma journal_mode = WAL; pragma cache_size = -${PAGE_CACHE}`);
    // Only a read finds out that the files beside it cannot be made.
    hasTable(database, "state");
    return database;
  } catch (error) {
    if (!isReadOnly(error) || !existsSync(file)) throw error;
    return connectReadOnly(file);
  }
}

/** On a disk that cannot be written SQLite cannot coordinate with others; nobody can write there, so it need not. */
function connectReadOnly(file: string): Database {
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) {
    throw damaged(
      join(file, ".."),
      `${CELLS}-wal holds changes that only a writer can bring in, and the disk is read-only`,
    );
  }
  return new Libsql(`${pathToFileURL(file).href}?immutable=1`, { timeout: BUSY_MS });
}

/** Brings the log into the file, so that a copy of the file is whole. Where that cannot be, the log stays, and nothing is lost. */
export function foldLog(database: Database): void {
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // The next one who writes does it.
  }
}

export function hasTable(database: Database, name: string): boolean {
  return database.prepare<[string]>("select 1 from sqlite_master where name = ?").raw().get(name) !== undefined;
}

function isFull(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < LENT_BYTES;
}

function isReadOnly(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return /SQLITE_(CANTOPEN|READONLY)|[Uu]nable to open|readonly/.test(`${code} ${message}`);
}

const FILE = "reserve";
/** In bytes: for the log, which is brought into the file first, and some hundred kilobytes that a removal writes before it frees anything. */
const MAX_RESERVE_BYTES = 2 ** 21;
const MIN_RESERVE_BYTES = 2 ** 16;
/** What opening an index takes: the file by which processes find what is in the log, and that of a lock. */
const LENT_BYTES = 2 ** 16;
/** Of the room that is left, so that a small disk is not filled by this. */
const SHARE = 1 / 8;

/** Room that is kept on the disk for removals: on a full one, they could not be written either. */
export function createReserve(folder: string) {
  const file = join(folder, FILE);
  return {
    /** Where there is none yet: so many bytes where they are left, or unless told what a disk with so much room can spare. */
    keep(wanted?: number): void {
      if (existsSync(file)) return;
      try {
        const { bavail, bsize } = statfsSync(folder);
        const left = bavail * bsize;
        const size = Math.floor(Math.min(left, wanted ?? Math.min(MAX_RESERVE_BYTES, left * SHARE)));
        // Not zeros: some file systems keep none of those.
        if (size >= MIN_RESERVE_BYTES) writeFileSync(file, Buffer.alloc(size, 1));
      } catch {
        rmSync(file, { force: true });
      }
    },
    /** Gives back as much as opening an index takes; false where there is not so much. */
    lend(): boolean {
      const size = existsSync(file) ? statSync(file).size : 0;
      if (size < LENT_BYTES) return false;
      truncateSync(file, size - LENT_BYTES);
      return true;
    },
    /** Gives all of it back, and says how much that was. */
    release(): number {
      const size = existsSync(file) ? statSync(file).size : 0;
      rmSync(file, { force: true });
      return size;
    },
  };
}

/**
 * All of it, or nothing. Not the driver's own `transaction`: where SQLite has rolled back by itself (a full disk), that one
 * rolls back again, fails, and hides the reason.
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

/** A connection that cannot even roll back is as good as gone; the first error says why. */
function rollback(database: Database): void {
  try {
    database.exec("rollback");
  } catch {
    database.close();
  }
}
