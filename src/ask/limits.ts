import { RecommenderError } from "../errors.js";
import type { NotebookFile } from "../notebook/notebook.js";

const KB = 1024;
const MB = 1024 * KB;

/** How much may be asked at once. Everything that takes a request keeps to these, and the API document names them. */
export const LIMITS = {
  /** Bytes of UTF-8 of one cell that is asked about. */
  codeBytes: 256 * KB,
  bodyBytes: 25 * MB,
  /** Bytes of a body that holds no notebook. */
  requestBytes: 8 * MB,
  /** Values of the JSON of such a body. */
  requestValues: 20_000,
  /** Cells of one notebook. */
  cells: 5_000,
  /** Bytes of code of a notebook that is labelled in one answer. */
  labelledBytes: 2 * MB,
  /** What changes the index at one time. */
  changes: { requests: 64, bytes: 100 * MB },
  /** Files of one form. */
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

/** What a request has that says nothing. */
export const DEFAULTS = { k: 3, completions: 1, completionLines: 1, found: 10, similar: 5, page: 100 } as const;

/** Of the cell, its end is read, and of the cells before the nearest: what is further up is too far away to tell. */
const READ_BYTES = { code: 16 * KB, before: 32 * KB } as const;

/** The same for completions, which find the user's own words further up, too. */
export const COMPLETION_BYTES = { prefix: 32 * KB, suffix: 8 * KB, before: 128 * KB, after: 32 * KB } as const;

/** Up to so many bytes are worked on at once; what is larger is given to another thread. */
export const INLINE_BYTES = { notebook: 80 * KB, labelled: 8 * KB } as const;

/** TOO_LARGE where somebody asks about more than any cell holds. */
export function checkCode(code: string, what = "The code"): void {
  const bytes = Buffer.byteLength(code);
  if (bytes <= LIMITS.codeBytes) return;
  throw tooLarge(`${what} has ${bytes} bytes; at most ${LIMITS.codeBytes} (256 KB) are taken.`);
}

export function checkCellCount(name: string, { cells }: NotebookFile): void {
  if (cells.length <= LIMITS.cells) return;
  throw tooLarge(`${name} has ${cells.length} cells; at most ${LIMITS.cells} are taken.`);
}

export function checkBefore(before: readonly string[]): void {
  const bytes = before.reduce((sum, code) => sum + Buffer.byteLength(code), 0);
  if (bytes <= LIMITS.before.bytes) return;
  throw tooLarge(`The cells before have ${bytes} bytes; at most ${LIMITS.before.bytes} (1 MB) are taken.`);
}

/** All code that is labelled for one answer. */
export function checkLabelled(codes: readonly string[]): void {
  const bytes = codes.reduce((sum, code) => sum + Buffer.byteLength(code), 0);
  if (bytes <= LIMITS.labelledBytes) return;
  throw tooLarge(
    `The notebook has ${bytes} bytes of code; at most ${LIMITS.labelledBytes} (2 MB) are labelled at once.`,
  );
}

function tooLarge(message: string): RecommenderError {
  return new RecommenderError("TOO_LARGE", message);
}

/** The last lines of a cell, as many as are read; all of them but for a few cells in ten thousand. */
export function endOfCode(code: string, mostBytes: number = READ_BYTES.code): string {
  if (Buffer.byteLength(code) <= mostBytes) return code;
  const bytes = Buffer.from(code).subarray(-mostBytes);
  const line = bytes.indexOf("\n");
  // One line alone is cut between two characters.
  return line === -1 ? bytes.toString().replace(/^\uFFFD+/, "") : bytes.subarray(line + 1).toString();
}

/** The first lines, as many as are read; of a long line its start. */
export function startOfCode(code: string, maxBytes: number): string {
  if (Buffer.byteLength(code) <= maxBytes) return code;
  const bytes = Buffer.from(code).subarray(0, maxBytes);
  const line = bytes.lastIndexOf("\n");
  return line === -1 ? bytes.toString().replace(/\uFFFD+$/, "") : bytes.subarray(0, line).toString();
}

/** As many of the last cells as are read; of the very last one at least its end. */
export function nearestCells(before: readonly string[], mostBytes: number = READ_BYTES.before): readonly string[] {
  let left = mostBytes;
  let from = before.length;
  while (from > 0 && left >= 0) {
    left -= Buffer.byteLength(before[from - 1]!);
    if (left >= 0) from -= 1;
  }
  if (from === before.length && before.length > 0) return [endOfCode(before.at(-1)!, mostBytes)];
  return before.slice(from);
}
