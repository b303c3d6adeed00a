import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { type ErrorCode, RecommenderError } from "../../errors.js";

export type Database = Libsql.Database;

/** Code and names are kept as blobs: the driver ends a text at its first NUL. Rows are never used twice, so new rows are the highest. */
const SCHEMA = `
  create table if not exists meta (key text primary key, value text not null) without rowid;
  create table if not exists cells (
    row integer primary key autoincrement,
    id text not null unique,
    code blob not null,
    clean blob not null,
    labels integer not null,
    primary_label integer not null,
    vector blob not null
  );
  create table if not exists notebooks (
    row integer primary key autoincrement,
    id text not null unique,
    source blob not null,
    name blob not null,
    version text not null,
    skipped integer not null,
    facts blob not null
  );
  create table if not exists occurrences (
    notebook integer not null,
    cell_index integer not null,
    cell integer not null,
    primary key (notebook, cell_index)
  ) without rowid;
  create index if not exists occurrences_by_cell on occurrences (cell);
  create table if not exists removed (seq integer primary key autoincrement, row integer not null);
`;

const BUSY_MS = 10_000;

/** Opens the SQLite file of an index, making it where there is none. A commit is on the disk when it returns. */
export function openDatabase(folder: string): Database {
  return guard(folder, () => {
    mkdirSync(folder, { recursive: true });
    const database = new Libsql(join(folder, "cells.db"), { timeout: BUSY_MS });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    if (database.prepare("select 1 from sqlite_master where name = 'removed'").get() === undefined)
      database.exec(SCHEMA);
    return database;
  });
}

/** Runs what touches the disk, and turns its errors into ours. */
export function guard<T>(folder: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw explain(folder, error);
  }
}

function explain(folder: string, error: unknown): unknown {
  if (error instanceof RecommenderError || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? "");
  for (const [pattern, ours, advice] of ADVICE) {
    if (pattern.test(`${code} ${error.message}`)) {
      return new RecommenderError(ours, `The index in ${folder} ${advice} (${error.message})`, { cause: error });
    }
  }
  return error;
}

const ADVICE: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /SQLITE_FULL|ENOSPC|EDQUOT|disk is full/,
    "DISK_FULL",
    "cannot grow: the disk is full; make room and repeat the command",
  ],
  [/SQLITE_BUSY|database is locked/, "INDEX_LOCKED", "is locked by another process; wait until that is done"],
  [
    /SQLITE_(CORRUPT|NOTADB)|malformed|not a database/,
    "STORE_UNAVAILABLE",
    "is damaged; restore it from a copy, or delete the folder and index again",
  ],
  [
    /SQLITE_(CANTOPEN|READONLY|PERM|IOERR)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|unable to open|readonly/,
    "STORE_UNAVAILABLE",
    "cannot be opened or written; check that the folder is there and yours",
  ],
];
