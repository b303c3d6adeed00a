import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { dirname, resolve } from "node:path";
import type { FilePath, Rejection } from "./notebook.js";

/** Maximum size of a file; larger files are not real notebooks and would not fit into a string. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** Number of attempts to read a file that changes while it is read. */
const MAX_TRIES = 3;

type FileContent = { readonly bytes: Buffer } | { readonly rejected: Rejection };

/**
 * All bytes of a regular file. Other kinds of files are rejected without opening them: a pipe without a writer would
 * block, and a device may never end.
 */
export function readRegularFile(path: FilePath, largest = MAX_FILE_BYTES): FileContent {
  return readSafely(path, largest, false);
}

/**
 * Like `readRegularFile`, for a file below a folder whose real path is known. Neither the file nor a folder above it
 * may be a link, because a link may have been created since the folder was listed.
 */
export function readListedFile(path: FilePath, largest = MAX_FILE_BYTES): FileContent {
  return readSafely(path, largest, true);
}

function readSafely(path: FilePath, largest: number, refusesLinks: boolean): FileContent {
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const content = readOnce(typeof path === "string" ? path : Buffer.from(path), largest, refusesLinks);
      if (content !== null) return content;
    }
    return reject("unreadable", "it changes while it is read; index it again when it is complete");
  } catch (error) {
    return explainOpenError(error as NodeJS.ErrnoException);
  }
}

/** Names in messages of the kinds of irregular files. */
export function nameKind(stats: Pick<Stats, "isDirectory" | "isFIFO" | "isSocket">): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** Reads an open file; null if it was changed meanwhile. */
function readOnce(path: string | Buffer, largest: number, refusesLinks: boolean): FileContent | null {
  const links = refusesLinks ? (constants.O_NOFOLLOW ?? 0) : 0;
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | links);
  try {
    const opened = refusesLinks ? compareOpened(file, path) : "same";
    if (opened === "changed") return null;
    if (opened === "link") return REJECTED_LINK;
    const before = fstatSync(file);
    if (!before.isFile()) return reject("unreadable", `${nameKind(before)}, not a file`);
    if (before.size > largest) return reject("too-large", overLimit(before.size, largest));
    const bytes = Buffer.allocUnsafe(before.size);
    let length = 0;
    while (length < bytes.length) {
      const more = readSync(file, bytes, length, bytes.length - length, null);
      if (more === 0) break;
      length += more;
    }
    const after = fstatSync(file);
    return length === after.size && before.mtimeMs === after.mtimeMs ? { bytes } : null;
  } finally {
    closeSync(file);
  }
}

const REJECTED_LINK = reject("unreadable", "the file or one of its folders is a symbolic link; links are not followed");

/**
 * Whether an open file has this path without links. Linux reports the real path of an open file; on other systems every
 * part of the path is checked again.
 */
function compareOpened(file: number, path: string | Buffer): "same" | "changed" | "link" {
  const wanted = Buffer.from(path);
  if (process.platform === "linux" && existsSync("/proc/self/fd")) {
    const real = readlinkSync(`/proc/self/fd/${file}`, "buffer");
    if (real.equals(wanted)) return "same";
    // The file was replaced after it was opened, as editors do when they save.
    return real.toString("latin1").endsWith(" (deleted)") ? "changed" : "link";
  }
  for (let end = wanted.indexOf("/", 1); end !== -1; end = wanted.indexOf("/", end + 1)) {
    if (lstatSync(wanted.subarray(0, end)).isSymbolicLink()) return "link";
  }
  const [now, opened] = [lstatSync(wanted), fstatSync(file)];
  if (now.isSymbolicLink()) return "link";
  return now.ino === opened.ino && now.dev === opened.dev ? "same" : "changed";
}

export function overLimit(size: number, largest: number): string {
  return `${Math.round(size / 2 ** 20)} MB, over the limit of ${Math.round(largest / 2 ** 20)} MB`;
}

function explainOpenError(error: NodeJS.ErrnoException): FileContent {
  // A socket cannot be opened, so its kind is known from the error.
  if (error.code === "ENXIO") return reject("unreadable", "a socket, not a file");
  // The error of O_NOFOLLOW, and of a loop of links.
  if (error.code === "ELOOP") return REJECTED_LINK;
  return reject("unreadable", `cannot be read: ${error.message}`);
}

function reject(kind: Rejection["kind"], reason: string): FileContent {
  return { rejected: { kind, reason } };
}

/** Makes a folder and its parents. Node's option `recursive` is avoided, because it never returns in `/proc`. */
export function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const path of missing) {
    try {
      mkdirSync(path);
    } catch (error) {
      // Another process created it first.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
