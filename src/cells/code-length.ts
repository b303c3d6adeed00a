import { RecommenderError } from "../errors.js";

/** Milvus ends a text at 65,535 bytes; a cell this long is data, not code. */
export const LONGEST_CELL = 60_000;
/** The longest code that is asked about, in bytes of UTF-8. */
const LONGEST_CODE = 256 * 1024;

/** TOO_LARGE where somebody asks about more than any cell holds. */
export function checkCodeLength(code: string): void {
  const bytes = Buffer.byteLength(code);
  if (bytes <= LONGEST_CODE) return;
  throw new RecommenderError("TOO_LARGE", `The code has ${bytes} bytes; at most ${LONGEST_CODE} (256 KB) are taken.`);
}

/** Whether the cell is too long to be stored; asked before any work is done on it. */
export function isOverlong(code: string): boolean {
  // No character takes less than a byte, so most of what is too long need not be counted.
  return code.length > LONGEST_CELL || Buffer.byteLength(code) > LONGEST_CELL;
}
