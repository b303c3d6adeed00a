import { overLimit } from "../file-system.js";
import type { Rejection } from "../notebook.js";

/** Limits of an archive, against zip bombs. */
export interface ArchiveLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** How many times its own size an archive may unpack to, beyond the size of one file. */
  readonly ratio: number;
  /** Files of any kind. */
  readonly entries: number;
}

/** Three times the files of the largest corpus that is known. */
export const ARCHIVE_LIMITS: ArchiveLimits = { file: 64 * 2 ** 20, ratio: 200, entries: 20_000_000 };

/** Counts what an archive unpacks to, and tells when that exceeds the limits. */
export function createMeter(packed: number, limits: ArchiveLimits) {
  let [unpacked, entries] = [0, 0];
  return {
    addBytes(bytes: number): void {
      unpacked += bytes;
    },
    addEntry(): void {
      entries += 1;
    },
    /** Null while it is within the limits. */
    excess(): Rejection | null {
      if (unpacked > packed * limits.ratio + limits.file)
        return beyond(`unpacks to more than ${limits.ratio} times its size`);
      return entries > limits.entries ? beyond(`holds more than ${limits.entries.toLocaleString("en")} files`) : null;
    },
  };
}

/** Why a file inside an archive must not be read; null if it may. */
export function refuse(path: string | null, size: number, limits: ArchiveLimits): Rejection | null {
  if (path === null) return { kind: "unreadable", reason: "its path leads out of the archive" };
  return size > limits.file ? tooLarge(size, limits) : null;
}

/** The path of a file inside an archive with `/` between its parts; null for one that leads out of it. */
export function safePath(name: string): string | null {
  const parts = name.replaceAll("\\", "/").split("/");
  const isOutside = parts[0] === "" || /^[A-Za-z]:$/.test(parts[0]!) || parts.includes("..") || name.includes("\0");
  return isOutside ? null : parts.filter((part) => part !== "." && part !== "").join("/");
}

export function tooLarge(size: number, { file }: ArchiveLimits): Rejection {
  return { kind: "too-large", reason: overLimit(size, file) };
}

export function damaged(error: unknown): Rejection {
  return { kind: "unreadable", reason: `the archive is damaged from here on: ${(error as Error).message}` };
}

function beyond(what: string): Rejection {
  return { kind: "too-large", reason: `the archive ${what}; the rest is left out` };
}
