import { subwords } from "../../python/subwords.js";
import type { NewCell, Notebook, NotebookFacts, Occurrence, StoredCell } from "../vector-store.js";
import { LONGEST } from "./schema.js";

export interface CellRow {
  readonly id: string;
  /** Empty where the cell has no label. */
  readonly primary: string;
  readonly labels: readonly string[];
  readonly clean: string;
  readonly code: string;
  /** The write that brought it. */
  readonly made: string;
  readonly vector: readonly number[];
}

/** One occurrence of a cell, or, with the index -1, the head of a notebook. */
export interface OccurrenceRow {
  readonly id: string;
  readonly notebook: string;
  /** The write that made the row. Occurrences count while the head of their notebook names the same one. */
  readonly write: string;
  readonly cell_index: number;
  readonly cell_id: string;
  /** The stored cell behind this one in its notebook; -1 and empty where it is the last. */
  readonly next_index: number;
  readonly next: string;
  readonly source: string;
  readonly name: string;
  /** JSON. */
  readonly facts: string;
  /** Of a head: the numbers of its notebook. */
  readonly version: string;
  readonly skipped: number;
  readonly cells: number;
  /** Of its notebook; 0 where nobody knows. */
  readonly votes: number;
  /** Milvus wants a vector in every collection. */
  readonly anchor: readonly number[];
}

export type HeadRow = Omit<OccurrenceRow, "anchor" | "votes">;

export const CELL_FIELDS = ["id", "primary", "labels", "clean", "code"] as const;
export const OCCURRENCE_FIELDS = [
  "id",
  "notebook",
  "write",
  "cell_index",
  "cell_id",
  "next_index",
  "next",
  "source",
  "name",
  "facts",
] as const;
export const HEAD_FIELDS = [...OCCURRENCE_FIELDS, "version", "skipped", "cells"] as const;
export const HEAD_INDEX = -1;
export const ANCHOR = [0, 0];
/** The largest Int32. */
const MOST_VOTES = 2 ** 31 - 1;
/** Bytes of a source and of a name that the order of occurrences looks at. */
const ORDERED = 240;

/** `words` is there where the server searches by words. */
export function toCellRow({ id, primary, labels, clean, code, vector }: NewCell, made: string, words: boolean) {
  const row: CellRow = {
    id,
    primary: primary ?? "",
    labels: [...labels],
    clean: clean.toWellFormed(),
    code: code.toWellFormed(),
    made,
    vector: Array.from(vector),
  };
  return words ? { ...row, words: toWords(code) } : row;
}

/** The subwords of code as the server's analyzer wants them; what does not fit in a field is left out. */
export function toWords(code: string): string {
  const words = subwords(code.toWellFormed());
  let bytes = 0;
  const end = words.findIndex((word) => {
    bytes += Buffer.byteLength(word) + 1;
    return bytes > LONGEST;
  });
  return (end === -1 ? words : words.slice(0, end)).join(" ");
}

export function toStoredCell({ id, code, clean, labels, primary }: Omit<CellRow, "made" | "vector">): StoredCell {
  return { id, code, clean, labels: [...labels], primary: primary === "" ? null : primary };
}

export function toOccurrence(row: Pick<OccurrenceRow, (typeof OCCURRENCE_FIELDS)[number]>): Occurrence {
  const { notebook, source, name, cell_index, facts } = row;
  return { notebook, source, name, cellIndex: cell_index, facts: readFacts(facts) };
}

/** In front of all occurrences, and in the order of the notebooks' ids. */
export function headId(notebook: string): string {
  return `/${notebook}`;
}

/** The key gives the occurrences of a cell the order of (source, name, index), and no two writes the same row. */
export function toOccurrenceRows(notebook: Notebook, write: string): OccurrenceRow[] {
  const shared = sharedOf(notebook, write);
  const order = `${orderOf(notebook.source)}/${orderOf(notebook.name)}`;
  const end = `${notebook.id.slice(0, 16)}/${write}`;
  return notebook.cells.map(({ cellIndex, id }, at) => {
    const next = notebook.cells[at + 1];
    return {
      ...shared,
      id: `${id}/${order}/${String(cellIndex).padStart(10, "0")}/${end}`,
      cell_index: cellIndex,
      cell_id: id,
      next_index: next?.cellIndex ?? -1,
      next: next?.id ?? "",
      version: "",
      skipped: 0,
      cells: 0,
    };
  });
}

export function toHeadRow(notebook: Notebook, write: string): OccurrenceRow {
  return {
    ...sharedOf(notebook, write),
    id: headId(notebook.id),
    cell_index: HEAD_INDEX,
    cell_id: "",
    next_index: -1,
    next: "",
    version: notebook.version,
    skipped: notebook.skipped,
    cells: notebook.cells.length,
  };
}

/** The notebook of a head; `rows` may hold those of other notebooks and writes. */
export function toNotebook(
  head: HeadRow,
  rows: readonly Pick<OccurrenceRow, "notebook" | "write" | "cell_index" | "cell_id">[],
): Notebook {
  const cells = rows
    .filter(
      ({ notebook, write, cell_index }) =>
        notebook === head.notebook && write === head.write && cell_index !== HEAD_INDEX,
    )
    .map(({ cell_index, cell_id }) => ({ cellIndex: cell_index, id: cell_id }))
    .sort((a, b) => a.cellIndex - b.cellIndex);
  const { notebook: id, source, name, version, skipped, facts } = head;
  return { id, source, name, version, skipped, cells, facts: readFacts(facts) };
}

function sharedOf({ id, source, name, facts }: Notebook, write: string) {
  return {
    notebook: id,
    write,
    source: source.toWellFormed(),
    name: name.toWellFormed(),
    facts: JSON.stringify(facts),
    votes: Math.min(MOST_VOTES, Math.max(0, Math.trunc(facts.votes ?? 0))),
    anchor: ANCHOR,
  };
}

/** The beginning of a text as hexadecimal digits, whose order is that of the text, and which no filter has to escape. */
function orderOf(text: string): string {
  return Buffer.from(text).subarray(0, ORDERED).toString("hex");
}

function readFacts(facts: string): NotebookFacts {
  return JSON.parse(facts) as NotebookFacts;
}
