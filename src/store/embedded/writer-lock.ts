import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { RecommenderError } from "../../errors.js";

/** Who writes an index, for the message that another writer gets. */
export interface Writer {
  readonly pid: number;
  /** What the process does, such as `celrec index notebooks`. */
  readonly activity: string;
  /** Where it takes notebooks over REST, if it is a server. */
  readonly url?: string;
}

export interface WriterLock {
  release(): void;
}

/**
 * Takes the one place of a writer. The lock is SQLite's own on a file beside the index, so the system frees it when the
 * process dies, however it dies; the file with the holder's name is for people.
 */
export function takeWriterLock(folder: string, writer: Writer): WriterLock {
  const lock = new Libsql(join(folder, "writer.lock"), { timeout: 0 });
  const note = join(folder, "writer.json");
  try {
    lock.exec("begin exclusive");
    writeFileSync(note, JSON.stringify(writer));
  } catch (error) {
    // Closing frees the lock: one that is held without a note would lock out its own process, too.
    lock.close();
    if (!isBusy(error)) throw error;
    throw new RecommenderError("INDEX_LOCKED", describeHolder(folder, note), { cause: error });
  }
  return {
    release() {
      rmSync(note, { force: true });
      lock.exec("rollback");
      lock.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return /SQLITE_BUSY|database is locked/.test(`${code} ${message}`);
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

/** The holder writes its name after it has the lock, so the note may not be there yet. */
function readHolder(note: string): Writer | null {
  try {
    return JSON.parse(readFileSync(note, "utf8")) as Writer;
  } catch {
    return null;
  }
}
