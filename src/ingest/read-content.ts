import type { Content } from "../notebook/corpus/entry.js";
import { type Cell, extractCells, MAX_CELL_BYTES, notebookVersion } from "../notebook/extract.js";
import { MAX_FILE_BYTES, readListedFile } from "../notebook/file-system.js";
import { parseBytes } from "../notebook/formats.js";
import type { NotebookFacts, NotebookFile, Rejection } from "../notebook/notebook.js";

/** The code of a notebook, and the hash that is its version. */
export interface NotebookCode {
  readonly cells: readonly Cell[];
  readonly version: string;
}

/** `facts` are those stated in the content itself. */
export type ReadNotebook =
  | { readonly code: NotebookCode; readonly facts?: NotebookFacts }
  | { readonly rejected: Rejection };

/** Limits of one notebook; the REST service has the same. */
const MAX_CELLS = 5_000;
const MAX_CODE_LENGTH = 25 * 1024 * 1024;

interface ReadLimits {
  readonly cells?: number;
  readonly code?: number;
}

/** Reads and parses a notebook from a file or from memory. Never throws on content. */
export function readContent(content: Content, limits: ReadLimits = {}): ReadNotebook {
  // The limit is smaller for scripts, because only notebooks contain pictures.
  const largest = content.format === "script" ? (limits.code ?? MAX_CODE_LENGTH) : MAX_FILE_BYTES;
  const read = "file" in content ? readListedFile(content.file, largest) : content;
  if ("rejected" in read) return read;
  const parsed = parseBytes(content.format, read.bytes);
  if ("rejected" in parsed) return parsed;
  const code = readCode(parsed.notebook, limits);
  return parsed.facts === undefined ? code : { ...code, facts: parsed.facts };
}

/** Like `readContent`, for a parsed notebook. */
export function readCode(
  notebook: NotebookFile,
  { cells: maxCells = MAX_CELLS, code: maxCode = MAX_CODE_LENGTH }: ReadLimits = {},
): ReadNotebook {
  const cells = extractCells(notebook);
  const count = (value: number) => value.toLocaleString("en");
  if (cells.length > maxCells)
    return tooLarge(`${count(cells.length)} code cells, over the limit of ${count(maxCells)}`);
  // Only the start of a cell that is too long to be stored is kept.
  const kept = cells.map((cell) =>
    cell.code.length > MAX_CELL_BYTES ? { ...cell, code: cell.code.slice(0, MAX_CELL_BYTES + 1) } : cell,
  );
  const length = kept.reduce((sum, { code }) => sum + code.length, 0);
  if (length > maxCode) return tooLarge(`${count(length)} characters of code, over the limit of ${count(maxCode)}`);
  return { code: { cells: kept, version: notebookVersion(cells) } };
}

function tooLarge(reason: string): ReadNotebook {
  return { rejected: { kind: "too-large", reason } };
}
