import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { RecommenderError } from "../../errors.js";

/** The holder of the write lock, shown to another writer. */
export interface Writer {
  readonly pid: number;
  /** The activity of the process, such as `celrec index notebooks`. */
  readonly activity: string;
  /** The base URL of its REST API, if it is a server. */
  readonly url?: string;
}

export interface WriterLock {
  release(): void;
}

/** Takes the writer's lock. The file with the holder's name is informative only. */
export function takeWriterLock(folder: string, writer: Writer): WriterLock {
  const note = join(folder, "writer.json");
  const lock = takeLock(join(folder, "writer.lock"));
  if (lock === null) throw new RecommenderError("INDEX_LOCKED", describeHolder(folder, note));
  try {
    writeFileSync(note, JSON.stringify(writer));
  } catch {
    // Ignored on a full disk: the writer may be about to free space.
  }
  return {
    release() {
      rmSync(note, { force: true });
      lock.release();
    },
  };
}

/** Takes the lock for writing derived files; null if another process holds it. */
export function takeSettleLock(folder: string): WriterLock | null {
  return takeLock(join(folder, "settle.lock"));
}

/** SQLite's own lock on an empty file beside the index. The system always frees it when the process ends. */
function takeLock(file: string): WriterLock | null {
  for (let isMended = false; ; isMended = true) {
    const lock = new Libsql(file, { timeout: 0 });
    try {
      lock.exec("begin exclusive");
      return {
        release() {
          lock.exec("rollback");
          lock.close();
        },
      };
    } catch (error) {
      lock.close();
      if (isBusy(error)) return null;
      // The file must be empty. Truncating it in place keeps the locks of other processes.
      if (isMended || !/SQLITE_(NOTADB|CORRUPT)|not a database|malformed/.test(textOf(error))) throw error;
      truncateSync(file);
    }
  }
}

function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|database is locked/.test(textOf(error));
}

function textOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return `${code} ${message}`;
}

function describeHolder(folder: string, note: string): string {
  const holder = readHolder(note);
  if (holder === null) return `Another process is writing the index in ${folder}; wait until it is done.`;
  const rest =
    holder.url === undefined
      ? "wait until it is done."
      : `wait until it is done, or send the notebooks to it: POST ${holder.url}/v1/notebooks.`;
  return `Process ${holder.pid} (${holder.activity}) is writing the index in ${folder}; ${rest}`;
}

/** Null if the holder has the lock but has not written its name yet. */
function readHolder(note: string): Writer | null {
  try {
    return JSON.parse(readFileSync(note, "utf8")) as Writer;
  } catch {
    return null;
  }
}
