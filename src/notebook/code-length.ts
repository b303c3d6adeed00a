/** Milvus ends a text at 65,535 bytes; a cell this long is data, not code. */
export const LONGEST_CELL = 60_000;

/** Whether the cell is too long to be stored; asked before any work is done on it. */
export function isOverlong(code: string): boolean {
  // No character takes less than a byte, so most of what is too long need not be counted.
  return code.length > LONGEST_CELL || Buffer.byteLength(code) > LONGEST_CELL;
}
