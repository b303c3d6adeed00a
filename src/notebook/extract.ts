import { createHash, hash } from "node:crypto";
import type { NotebookFile } from "./notebook.js";

/** A code cell of a notebook. `code` is the normalised source, `id` its hex sha-256. */
export interface Cell {
  readonly id: string;
  readonly cellIndex: number;
  readonly code: string;
}

/** The code cells of a notebook, in order. */
export function extractCells(notebook: NotebookFile): Cell[] {
  return notebook.cells
    .filter(({ type }) => type === "code")
    .map(({ index, source }) => {
      const code = normalizeSource(source);
      return { id: sha256(code), cellIndex: index, code };
    });
}

/**
 * Normalises the source of a cell, of which the id is the hash: CRLF and CR become LF, LFs at the end are removed, lone
 * surrogates become U+FFFD. Idempotent, so a stored cell keeps its id.
 */
export function normalizeSource(source: string): string {
  const text = source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source;
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return text.slice(0, end).toWellFormed();
}

/** The default source of a notebook. */
export const UPLOAD_SOURCE = "upload";

/** The id of a notebook: the hash of its source and its path there. */
export function notebookId(name: string, source: string = UPLOAD_SOURCE): string {
  return sha256(`${source}\n${name}`.toWellFormed());
}

/** The version of a notebook: a hash of its code cells and their order. Outputs and Markdown do not count. */
export function notebookVersion(cells: readonly Cell[]): string {
  return sha256(cells.map(({ id, cellIndex }) => `${cellIndex} ${id}\n`).join(""));
}

export function cellId(code: string): string {
  return sha256(normalizeSource(code));
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** Milvus limits a text to 65,535 bytes; a cell this long is data, not code. */
export const MAX_CELL_BYTES = 60_000;

/** Whether the cell is too long to be stored. Check this before any other work. */
export function isOverlong(code: string): boolean {
  // Every character has at least one byte, so long texts need not be encoded for the check.
  return code.length > MAX_CELL_BYTES || Buffer.byteLength(code) > MAX_CELL_BYTES;
}

/** The id of a source, used in URLs. */
export function sourceId(source: string): string {
  return createHash("sha256").update(source.toWellFormed()).digest("hex");
}
