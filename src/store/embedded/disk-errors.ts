import { type ErrorCode, RecommenderError } from "../../errors.js";

/** Runs a disk action and converts its errors to `RecommenderError`s. */
export function withDiskErrors<T>(folder: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw explain(folder, error);
  }
}

/** Error for a corrupt record. */
export function damaged(folder: string, what: string): RecommenderError {
  return new RecommenderError("STORE_UNAVAILABLE", `The index in ${folder} is damaged: ${what}. ${RECOVER}`);
}

/** Error for an index of which nothing can be read. */
export function unrecoverable(folder: string, what: string, cause?: unknown): RecommenderError {
  const message = `The index in ${folder} is damaged: ${what}. Nothing can be read any more; restore a copy, or delete the folder and index the notebooks again.`;
  return new RecommenderError("STORE_UNAVAILABLE", message, { cause });
}

/** Runs a read of a damaged index; if that throws, nothing can be read. */
export function readDamaged<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unrecoverable(folder, (cause as Error).message, cause);
  }
}

/** Parses stored JSON; throws the error for a corrupt record. */
export function readJson<T>(folder: string, bytes: Buffer | null, what: string): T {
  try {
    return JSON.parse((bytes ?? Buffer.alloc(0)).toString()) as T;
  } catch {
    throw damaged(folder, `${what} cannot be read`);
  }
}

/**
 * Converts an error of the disk or of SQLite to a `RecommenderError`. Any other error is a bug and is returned
 * unchanged.
 */
export function explain(folder: string, error: unknown): unknown {
  if (error instanceof RecommenderError || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? "");
  for (const [pattern, ours, advice] of ADVICE) {
    if (pattern.test(`${code} ${error.message}`)) {
      return new RecommenderError(ours, `The index in ${folder} ${advice} (${error.message})`, { cause: error });
    }
  }
  return error;
}

const RECOVER =
  "Run celrec doctor --repair to recover the readable part, restore a copy, or delete the folder and index the notebooks again.";

const ADVICE: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /SQLITE_FULL|ENOSPC|EDQUOT|disk is full/,
    "DISK_FULL",
    "cannot grow: the disk is full; make room and repeat the command",
  ],
  [
    /SQLITE_BUSY|database is locked/,
    "INDEX_LOCKED",
    "is locked by another process; try again when that process is done",
  ],
  [
    /SQLITE_(CORRUPT|NOTADB)|malformed|not a database|no such (table|column)/,
    "STORE_UNAVAILABLE",
    `is damaged; run celrec doctor --repair to recover the readable part, restore a copy, or delete the folder and index the notebooks again`,
  ],
  [
    /SQLITE_(CANTOPEN|READONLY|PERM|IOERR)|EACCES|EPERM|EROFS|EISDIR|ENOTDIR|EEXIST|ENOENT|[Uu]nable to open|readonly/,
    "STORE_UNAVAILABLE",
    "cannot be opened or written; check that the folder exists and that you own it",
  ],
];
