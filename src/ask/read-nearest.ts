import { READ_BYTES } from "./limits.js";

/** The last lines of a cell, as many as are read; all of them but for a few cells in ten thousand. */
export function endOfCode(code: string, mostBytes: number = READ_BYTES.code): string {
  if (Buffer.byteLength(code) <= mostBytes) return code;
  const bytes = Buffer.from(code).subarray(-mostBytes);
  const line = bytes.indexOf("\n");
  // One line alone is cut between two characters.
  return line === -1 ? bytes.toString().replace(/^\uFFFD+/, "") : bytes.subarray(line + 1).toString();
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
