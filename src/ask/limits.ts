import { RecommenderError } from "../errors.js";
import type { NotebookFile } from "../notebook/notebook.js";

const KB = 1024;
const MB = 1024 * KB;

/** The limits of requests, for REST, the command line and agents; the API document lists them. */
export const LIMITS = {
  /** UTF-8 bytes of the code in a request. */
  codeBytes: 256 * KB,
  bodyBytes: 25 * MB,
  /** Bytes of a body without a notebook. */
  requestBytes: 8 * MB,
  /** JSON values in such a body. */
  requestValues: 20_000,
  /** Cells of one notebook. */
  cells: 5_000,
  /** Bytes of code that are labelled in one request. */
  labelledBytes: 2 * MB,
  /** Uploads and deletions at the same time. */
  changes: { requests: 64, bytes: 100 * MB },
  /** Files in one multipart form. */
  files: 1_000,
  k: 100,
  completions: 5,
  completionLines: 20,
  /** Columns of a frame and members of an object that a variable may have. */
  members: 5_000,
  before: { cells: 1_000, bytes: MB },
  markdownCharacters: 64 * KB,
  searchCharacters: 10_000,
  variables: { names: 1_000, characters: 200 },
  excluded: 1_000,
  sources: 1_000,
  nameCharacters: 1_024,
  page: 1_000,
} as const;

/** Defaults for omitted fields. */
export const DEFAULTS = { k: 3, completions: 1, completionLines: 1, searchHits: 10, similar: 5, page: 100 } as const;

/**
 * Maximum context of a recommendation: the end of the cell and the nearest cells above. Code further up is not relevant
 * for the next line.
 */
const READ_BYTES = { code: 16 * KB, before: 32 * KB } as const;

/** Maximum context of a completion; larger, because the user's own names may be further up. */
export const COMPLETION_BYTES = { prefix: 32 * KB, suffix: 8 * KB, before: 128 * KB, after: 32 * KB } as const;

/** Inputs above this size are processed on another thread. */
export const INLINE_BYTES = { notebook: 80 * KB, labelled: 8 * KB } as const;

/** TOO_LARGE for more code than any real cell has. */
export function checkCode(code: string, what = "The code"): void {
  const bytes = Buffer.byteLength(code);
  if (bytes <= LIMITS.codeBytes) return;
  throw tooLarge(`${what} has ${bytes} bytes; the limit is ${LIMITS.codeBytes} (256 KB).`);
}

export function checkCellCount(name: string, { cells }: NotebookFile): void {
  if (cells.length <= LIMITS.cells) return;
  throw tooLarge(`${name} has ${cells.length} cells; the limit is ${LIMITS.cells}.`);
}

export function checkBefore(before: readonly string[]): void {
  const bytes = before.reduce((sum, code) => sum + Buffer.byteLength(code), 0);
  if (bytes <= LIMITS.before.bytes) return;
  throw tooLarge(`The cells before have ${bytes} bytes; the limit is ${LIMITS.before.bytes} (1 MB).`);
}

/** All code that is labelled for one answer. */
export function checkLabelled(codes: readonly string[]): void {
  const bytes = codes.reduce((sum, code) => sum + Buffer.byteLength(code), 0);
  if (bytes <= LIMITS.labelledBytes) return;
  throw tooLarge(`The notebook has ${bytes} bytes of code; the limit for labelling is ${LIMITS.labelledBytes} (2 MB).`);
}

function tooLarge(message: string): RecommenderError {
  return new RecommenderError("TOO_LARGE", message);
}

/** The last whole lines that fit the limit. Few cells in ten thousand exceed it. */
export function endOfCode(code: string, maxBytes: number = READ_BYTES.code): string {
  if (Buffer.byteLength(code) <= maxBytes) return code;
  const bytes = Buffer.from(code).subarray(-maxBytes);
  const line = bytes.indexOf("\n");
  // One line alone is cut between two characters.
  return line === -1 ? bytes.toString().replace(/^\uFFFD+/, "") : bytes.subarray(line + 1).toString();
}

/** The first lines up to the limit; a long first line is cut. */
export function startOfCode(code: string, maxBytes: number): string {
  if (Buffer.byteLength(code) <= maxBytes) return code;
  const bytes = Buffer.from(code).subarray(0, maxBytes);
  const line = bytes.lastIndexOf("\n");
  return line === -1 ? bytes.toString().replace(/\uFFFD+$/, "") : bytes.subarray(0, line).toString();
}

/** The last cells that fit the limit; at least the end of the last one. */
export function nearestCells(before: readonly string[], maxBytes: number = READ_BYTES.before): readonly string[] {
  let left = maxBytes;
  let from = before.length;
  while (from > 0 && left >= 0) {
    left -= Buffer.byteLength(before[from - 1]!);
    if (left >= 0) from -= 1;
  }
  if (from === before.length && before.length > 0) return [endOfCode(before.at(-1)!, maxBytes)];
  return before.slice(from);
}
