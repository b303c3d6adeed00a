import { RecommenderError } from "../errors.js";
import type { NotebookFile } from "../notebook/notebook.js";
import { LIMITS } from "./limits.js";

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
