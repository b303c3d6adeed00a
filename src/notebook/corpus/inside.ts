import type { Rejection } from "../notebook.js";
import { overLimit } from "../regular-file.js";

/** What an archive may hold; what is beyond is rejected, so that a small file cannot fill the memory or the day. */
export interface ArchiveLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** How many times its own size an archive may unpack to, beyond the size of one file. */
  readonly ratio: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = { file: 64 * 2 ** 20, ratio: 200 };

/** The path of a file inside an archive with `/` between its parts; null for one that leads out of it. */
export function safePath(name: string): string | null {
  const parts = name.replaceAll("\\", "/").split("/");
  const isOutside = parts[0] === "" || /^[A-Za-z]:$/.test(parts[0]!) || parts.includes("..") || name.includes("\0");
  return isOutside ? null : parts.filter((part) => part !== "." && part !== "").join("/");
}

export function leadsOutside(): Rejection {
  return { kind: "unreadable", reason: "its path leads out of the archive" };
}

export function tooLarge(size: number, { file }: ArchiveLimits): Rejection {
  return { kind: "too-large", reason: overLimit(size, file) };
}

export function damaged(error: unknown): Rejection {
  return { kind: "unreadable", reason: `the archive is damaged from here on: ${(error as Error).message}` };
}

export function unpacksTooFar({ ratio }: ArchiveLimits): Rejection {
  return {
    kind: "too-large",
    reason: `the archive unpacks to more than ${ratio} times its size; the rest is left out`,
  };
}
