import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Libsql from "libsql";
import { RecommenderError } from "../../errors.js";
import { makeFolders } from "../make-folders.js";
import { damaged, lost } from "./guard.js";
import { createReserve, LENT } from "./reserve.js";

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

/** Whether the profiles of cells are kept, which older programs did not. */
export function keepsProfiles(database: Database): boolean {
  const columns = database.prepare("select name from pragma_table_info('vectors')").raw().all() as [string][];
  return columns.some(([name]) => name === "profile");
}

function isFull(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < LENT;
}

function isReadOnly(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return /SQLITE_(CANTOPEN|READONLY)|[Uu]nable to open|readonly/.test(`${code} ${message}`);
}
