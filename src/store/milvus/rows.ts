import { strip } from "../../python/strip.js";
import { subwords } from "../../python/subwords.js";
import { quantize, restore } from "../embedded/cell-table.js";
import type { NewCell, Notebook, NotebookFacts, Occurrence, StoredCell } from "../vector-store.js";
import { MAX_TEXT } from "./schema.js";

/** One occurrence of a cell, with all of the cell. */
export interface CellRow {
  readonly id: string;
  /** The id of the cell: equal for all its copies. */
  readonly content: string;
  /** 0 if the writer found no other row of the content, else 1. A hint that finds one row of each content quickly. */
  readonly copy: number;
  readonly notebook: string;
  /** The write that made the row. */
  readonly stamp: string;
  readonly source: string;
  readonly name: string;
  /** JSON. */
  readonly facts: string;
  /** Of its notebook; 0 if unknown. */
  readonly votes: number;
  readonly cell_index: number;
  /** The next stored cell of its notebook; -1 and empty if it is the last. */
  readonly next_index: number;
  readonly next: string;
  /** Empty if the cell has no label: Milvus 2.3 has no null. */
  readonly primary: string;
  readonly labels: readonly string[];
  readonly code: string;
  /** Empty if it equals `strip(code)`, which it nearly always does: that halves what is sent. */
  readonly clean: string;
  /** The vector in bytes, as base64: Milvus 2.3 takes 50 times as long for a search that returns vectors. */
  readonly sketch: string;
  /** The packed profile for the second stage, as base64; empty if it has to be computed from the code. */
  readonly profile: string;
  readonly vector: readonly number[];
  /** Only if the server searches by words. */
  readonly words?: string;
}

/** A version of a notebook. The one with the greatest stamp counts. */
export interface HeadRow {
  readonly id: string;
  readonly notebook: string;
  readonly stamp: string;
  readonly source: string;
  readonly name: string;
  readonly version: string;
  readonly skipped: number;
  /** REMOVED if the notebook was removed by this write. */
  readonly cells: number;
  readonly facts: string;
  readonly anchor: readonly number[];
}

export type OccurrenceRow = Pick<CellRow, (typeof OCCURRENCE_FIELDS)[number]>;
export type FoundRow = Pick<CellRow, (typeof FOUND_FIELDS)[number]>;

export const OCCURRENCE_FIELDS = [
  "id",
  "content",
  "notebook",
  "stamp",
  "source",
  "name",
  "facts",
  "votes",
  "cell_index",
  "next_index",
  "next",
] as const;
export const TEXT_FIELDS = ["id", "content", "primary", "labels", "code", "clean"] as const;
/** All that ranking and the answer need. */
export const FOUND_FIELDS = [...new Set([...OCCURRENCE_FIELDS, ...TEXT_FIELDS, "sketch" as const, "profile" as const])];
export const HEAD_FIELDS = [
  "id",
  "notebook",
  "stamp",
  "source",
  "name",
  "version",
  "skipped",
  "cells",
  "facts",
] as const;

export const REMOVED = -1;
export const ANCHOR = [0, 0];
/** The largest Int32. */
const MAX_VOTES = 2 ** 31 - 1;

/** What the copies of a cell have in common. */
export type CellContent = Pick<
  CellRow,
  "content" | "primary" | "labels" | "code" | "clean" | "sketch" | "profile" | "vector" | "words"
>;

export function toContent({ id, primary, labels, clean, code, vector, profile }: NewCell, words: boolean): CellContent {
  const text = code.toWellFormed();
  const cleaned = clean.toWellFormed();
  return {
    content: id,
    primary: primary ?? "",
    labels: [...labels],
    code: text,
    clean: cleaned === strip(text).text ? "" : cleaned,
    sketch: toSketch(vector),
    profile: toProfile(profile),
    vector: Array.from(vector),
    ...(words && { words: toWords(text) }),
  };
}

/** What was read of a row, without what only the client added. */
export function contentOf(row: CellRow, words: boolean): CellContent {
  const { content, primary, labels, code, clean, sketch, profile, vector } = row;
  const own = { content, primary, labels: [...labels], code, clean, sketch, profile, vector: [...vector] };
  return words ? { ...own, words: toWords(code) } : own;
}

/** The subwords of code as the server's analyzer wants them; what does not fit in a field is left out. */
export function toWords(code: string): string {
  const words = subwords(code.toWellFormed());
  let bytes = 0;
  const end = words.findIndex((word) => {
    bytes += Buffer.byteLength(word) + 1;
    return bytes > MAX_TEXT;
  });
  return (end === -1 ? words : words.slice(0, end)).join(" ");
}

export function toStoredCell({
  content,
  code,
  clean,
  labels,
  primary,
}: Pick<CellRow, (typeof TEXT_FIELDS)[number]>): StoredCell {
  const id = content;
  return {
    id,
    code,
    clean: clean === "" ? strip(code).text : clean,
    labels: [...labels],
    primary: primary === "" ? null : primary,
  };
}

export function toOccurrence({ notebook, source, name, cell_index, facts }: OccurrenceRow): Occurrence {
  return { notebook, source, name, cellIndex: cell_index, facts: JSON.parse(facts) as NotebookFacts };
}

/** By (source, name, cellIndex); texts in the order of their bytes. */
export function byPlace(one: OccurrenceRow, other: OccurrenceRow): number {
  return (
    compareText(one.source, other.source) || compareText(one.name, other.name) || one.cell_index - other.cell_index
  );
}

export function compareText(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The rows of a notebook. A cell whose content is not in `contents` could not be made, and has no row. */
export function toCellRows(
  notebook: Notebook,
  stamp: string,
  contents: ReadonlyMap<string, CellContent>,
  isCopy: (content: string) => boolean,
): CellRow[] {
  const shared = {
    notebook: notebook.id,
    stamp,
    source: notebook.source.toWellFormed(),
    name: notebook.name.toWellFormed(),
    facts: JSON.stringify(notebook.facts),
    votes: Math.min(MAX_VOTES, Math.max(0, Math.trunc(notebook.facts.votes ?? 0))),
  };
  return notebook.cells.map(({ cellIndex, id }, at) => {
    const next = notebook.cells[at + 1];
    return {
      ...contents.get(id)!,
      ...shared,
      id: `${notebook.id}/${stamp}/${cellIndex}`,
      copy: isCopy(id) ? 1 : 0,
      cell_index: cellIndex,
      next_index: next?.cellIndex ?? -1,
      next: next?.id ?? "",
    };
  });
}

export function toHeadRow({ id, source, name, version, skipped, cells, facts }: Notebook, stamp: string): HeadRow {
  return {
    id: headId(id, stamp),
    notebook: id,
    stamp,
    source: source.toWellFormed(),
    name: name.toWellFormed(),
    version,
    skipped,
    cells: cells.length,
    facts: JSON.stringify(facts),
    anchor: ANCHOR,
  };
}

/** Says that the notebook is gone; older heads and rows are, whether they are still there or not. */
export function toTombstone({ notebook, source }: Pick<HeadRow, "notebook" | "source">, stamp: string): HeadRow {
  const empty: Notebook = { id: notebook, source, name: "", version: "", skipped: 0, cells: [], facts: {} };
  return { ...toHeadRow(empty, stamp), cells: REMOVED };
}

/** The notebook of a head; `rows` may hold those of other notebooks and writes. */
export function toNotebook(
  { notebook: id, stamp, source, name, version, skipped, facts }: Omit<HeadRow, "anchor">,
  rows: readonly Pick<CellRow, "notebook" | "stamp" | "cell_index" | "content">[],
): Notebook {
  const cells = rows
    .filter((row) => row.notebook === id && row.stamp === stamp)
    .map(({ cell_index, content }) => ({ cellIndex: cell_index, id: content }))
    .sort((a, b) => a.cellIndex - b.cellIndex);
  return { id, source, name, version, skipped, cells, facts: JSON.parse(facts) as NotebookFacts };
}

/** The head that counts for each notebook, removed ones among them. */
export function newestHeads<Head extends Pick<HeadRow, "notebook" | "stamp">>(
  heads: readonly Head[],
): Map<string, Head> {
  const newest = new Map<string, Head>();
  for (const head of heads) {
    const known = newest.get(head.notebook);
    if (known === undefined || known.stamp < head.stamp) newest.set(head.notebook, head);
  }
  return newest;
}

/** The unit vector of a sketch; cosines are within .02 of the exact ones. */
export function fromSketch(sketch: string): Float32Array {
  const bytes = Buffer.from(sketch, "base64");
  const vector = new Float32Array(bytes.length);
  restore(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), vector);
  return vector;
}

function toSketch(vector: Float32Array): string {
  const bytes = new Int8Array(vector.length);
  quantize(vector, bytes);
  return Buffer.from(bytes.buffer).toString("base64");
}

/** A profile that does not fit into a field is made of the code when it is needed. */
function toProfile(profile: Uint8Array | undefined): string {
  const text = profile === undefined ? "" : Buffer.from(profile).toString("base64");
  return text.length > MAX_TEXT ? "" : text;
}

function headId(notebook: string, stamp: string): string {
  return `${notebook}/${stamp}`;
}

/** Node 20 has no Map.groupBy. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
