import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, readSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Rejection } from "./notebook.js";

/** Larger files are not notebooks that anybody wrote; a string of theirs would not fit into memory. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** A file that is being written now is complete a moment later, or not at all. */
const MAX_TRIES = 3;

/** A path of the file system; one whose name is not UTF-8 is bytes. */
export type FilePath = string | Uint8Array;

type FileContent = { readonly bytes: Buffer } | { readonly rejected: Rejection };

/**
 * All bytes of a regular file. Anything else is rejected by what it is, without waiting for it: a pipe without a writer would
 * never answer, a device never end.
 */
export function readRegularFile(path: FilePath, largest = MAX_FILE_BYTES): FileContent {
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const content = readOnce(typeof path === "string" ? path : Buffer.from(path), largest);
      if (content !== null) return content;
    }
    return reject("unreadable", "it changes while it is read; index it again when it is complete");
  } catch (error) {
    return explain(error as NodeJS.ErrnoException);
  }
}

/** What messages call a path that is no regular file. */
export function nameKind(stats: Pick<Stats, "isDirectory" | "isFIFO" | "isSocket">): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** Null if the file was changed meanwhile. */
function readOnce(path: string | Buffer, largest: number): FileContent | null {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
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

export function overLimit(size: number, largest: number): string {
  return `${Math.round(size / 2 ** 20)} MB, over the limit of ${Math.round(largest / 2 ** 20)} MB`;
}

function explain(error: NodeJS.ErrnoException): FileContent {
  // Opening a socket fails before anybody can look at it.
  if (error.code === "ENXIO") return reject("unreadable", "a socket, not a file");
  return reject("unreadable", `cannot be read: ${error.message}`);
}

function reject(kind: Rejection["kind"], reason: string): FileContent {
  return { rejected: { kind, reason } };
}

/** Makes a folder and its parents. Not with Node's `recursive`, which never returns in `/proc`. */
export function makeFolders(folder: string): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const path of missing) {
    try {
      mkdirSync(path);
    } catch (error) {
      // Another process was quicker.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
