import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { makeFolders } from "../notebook/file-system.js";

/** The state of a file when it was last indexed. */
export interface Remembered {
  readonly stamp: string;
  /** The version of the notebook that was stored then. */
  readonly version: string;
  readonly cells: number;
  readonly skipped: number;
  /** A hash of the notebook's facts. */
  readonly facts: string;
}

/** The last run over a source. */
interface SyncRecord {
  readonly source: string;
  /** When the run ended, in ISO 8601. */
  readonly at: string;
  readonly files: number;
  readonly rejected: number;
}

/**
 * Records indexed files, so unchanged files need not be read in the next run. It is only a hint: the store decides
 * about every version. If the ledger is missing or wrong, files are read again.
 */
export interface Ledger {
  recall(ids: readonly string[]): Map<string, Remembered>;
  note(entries: ReadonlyMap<string, Remembered>): void;
  noteSync(record: SyncRecord): void;
  syncs(): SyncRecord[];
  close(): void;
}

const SCHEMA = `
  create table if not exists entries (
    id text primary key, stamp text not null, version text not null, cells integer not null, skipped integer not null,
    facts text not null) without rowid;
  create table if not exists syncs (
    source text primary key, at text not null, files integer not null, rejected integer not null) without rowid;
`;
const FILE = "ledger.db";
const BUSY_MS = 5_000;

export const NO_LEDGER: Ledger = {
  recall: () => new Map(),
  note: () => {},
  noteSync: () => {},
  syncs: () => [],
  close: () => {},
};

/** Opens the ledger in a folder. A damaged ledger is rebuilt; if it cannot be written, nothing is recorded. */
export function openLedger(folder: string): Ledger {
  const file = join(folder, FILE);
  try {
    return open(folder, file);
  } catch {
    try {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
      return open(folder, file);
    } catch {
      return NO_LEDGER;
    }
  }
}

/** The recorded runs; empty if there is no ledger. Creates no file. */
export function readSyncs(folder: string): SyncRecord[] {
  if (!existsSync(join(folder, FILE))) return [];
  const ledger = openLedger(folder);
  try {
    return ledger.syncs();
  } finally {
    ledger.close();
  }
}

function open(folder: string, file: string): Ledger {
  makeFolders(folder);
  const database = new Libsql(file, { timeout: BUSY_MS });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  database.exec(SCHEMA);
  const find = database
    .prepare<[string]>(
      "select id, stamp, version, cells, skipped, facts from entries where id in (select value from json_each(?))",
    )
    .raw();
  const put = database.prepare<[string, string, string, number, number, string]>(
    "insert or replace into entries (id, stamp, version, cells, skipped, facts) values (?, ?, ?, ?, ?, ?)",
  );
  const putSync = database.prepare<[string, string, number, number]>(
    "insert or replace into syncs (source, at, files, rejected) values (?, ?, ?, ?)",
  );
  const allSyncs = database.prepare<[]>("select source, at, files, rejected from syncs order by source").raw();
  const putAll = database.transaction((entries: ReadonlyMap<string, Remembered>) => {
    for (const [id, { stamp, version, cells, skipped, facts }] of entries)
      put.run(id, stamp, version, cells, skipped, facts);
  });
  return {
    recall(ids) {
      const rows = find.all(JSON.stringify(ids)) as [string, string, string, number, number, string][];
      return new Map(
        rows.map(([id, stamp, version, cells, skipped, facts]) => [id, { stamp, version, cells, skipped, facts }]),
      );
    },
    note: (entries) => ignoreErrors(() => putAll.immediate(entries)),
    noteSync: ({ source, at, files, rejected }) => ignoreErrors(() => void putSync.run(source, at, files, rejected)),
    syncs: () =>
      (allSyncs.all() as [string, string, number, number][]).map(([source, at, files, rejected]) => ({
        source,
        at,
        files,
        rejected,
      })),
    close: () => void database.close(),
  };
}

/** Ignores a full disk and locks: the ledger is only a hint. */
function ignoreErrors(act: () => void): void {
  try {
    act();
  } catch {
    // Without a ledger entry, the file is read again in the next run.
  }
}
