import { strip } from "../../python/strip.js";
import { subwords } from "../../python/subwords.js";
import { quantize, restore } from "../embedded/cell-table.js";
import type { CellPosition, NewCell, Notebook, NotebookFacts, Occurrence, StoredCell } from "../vector-store.js";
import { MAX_TEXT } from "./schema.js";

/** One occurrence of a cell with the whole cell: fields for filters, and three fields from which an answer is made. */
export interface CellRow {
  readonly id: string;
  /** The id of the cell: equal for all its copies. */
  readonly content: string;
  /** 0 if the writer found no other row of the content, else 1. A hint for finding one row of each content quickly. */
  readonly copy: number;
  readonly notebook: string;
  /** The write that made the row. */
  readonly stamp: string;
  readonly source: string;
  /** Votes of the notebook; 0 if unknown. */
  readonly votes: number;
  /** Empty if the cell has no label, because Milvus 2.3 has no null. */
  readonly primary: string;
  readonly labels: readonly string[];
  /** An `About` as JSON. One text field is faster than several fields, and much faster than arrays on Milvus Lite. */
  readonly about: string;
  /**
   * A line with the quantized vector and the packed profile as base64, then the code. Each further field of a search
   * takes a millisecond on Milvus 2.3, and vectors take 50 times as long as text. A profile that does not fit is omitted
   * and computed from the code when needed.
   */
  readonly cell: string;
  /** The cleaned code; empty if it equals `strip(code)`, as it nearly always does. */
  readonly clean: string;
  readonly vector: readonly number[];
  /** Subwords of the code; only present if the server searches by words. */
  readonly words?: string;
}

/** The shown fields of a row besides its code. */
export interface About {
  readonly content: string;
  readonly notebook: string;
  readonly stamp: string;
  readonly source: string;
  readonly name: string;
  readonly facts: NotebookFacts;
  readonly votes: number;
  readonly cellIndex: number;
  /** The next stored cell of its notebook. */
  readonly next: CellPosition | null;
  readonly primary: string | null;
  readonly labels: readonly string[];
}

/** A row that was read. Fields that were not requested are missing. */
export type FoundRow = About & Pick<CellRow, "id" | "cell" | "clean" | "vector">;

/** A version of a notebook. The one with the greatest stamp counts. */
interface HeadRow {
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

export type Head = Omit<HeadRow, "anchor">;
export type Fields<Row> = readonly (keyof Row & string)[];

export const ABOUT: Fields<CellRow> = ["id", "about"];
export const TEXT: Fields<CellRow> = [...ABOUT, "cell", "clean"];
export const WHOLE: Fields<CellRow> = [...TEXT, "vector"];
/** All that ranking and the answer need. */
export const ANSWER: Fields<CellRow> = ["about", "cell"];
export const HEAD: Fields<Head> = "id notebook stamp source name version skipped cells facts".split(" ") as never;

export const REMOVED = -1;
export const ANCHOR = [0, 0];
/** Maximum Int32. */
const MAX_VOTES = 2 ** 31 - 1;

/** The fields that are equal for all copies of a cell. */
export type CellContent = Pick<About, "content" | "primary" | "labels"> & Pick<CellRow, "cell" | "clean" | "vector">;

export function toContent({ id, primary, labels, clean, code, vector, profile }: NewCell): CellContent {
  const text = code.toWellFormed();
  const cleaned = clean.toWellFormed();
  return {
    content: id,
    primary,
    labels: [...labels],
    cell: packCell(text, vector, profile),
    clean: cleaned === strip(text).text ? "" : cleaned,
    vector: Array.from(vector),
  };
}

/** Object.assign takes a tenth of the time of spreading a parsed object, which was 2 ms of a question. */
export function toFound(row: Pick<CellRow, "about">): FoundRow {
  const about = JSON.parse(row.about) as About;
  return Object.assign(about, row as unknown as FoundRow, { id: rowId(about) });
}

const rowId = ({ notebook, stamp, cellIndex }: Pick<About, "notebook" | "stamp" | "cellIndex">) =>
  `${notebook}/${stamp}/${cellIndex}`;

/** The subwords of code as the server's analyzer expects them, cut to the maximum size of a field. */
export function toWords(code: string): string {
  const words = subwords(code.toWellFormed());
  let bytes = 0;
  const end = words.findIndex((word) => {
    bytes += Buffer.byteLength(word) + 1;
    return bytes > MAX_TEXT;
  });
  return (end === -1 ? words : words.slice(0, end)).join(" ");
}

/** The cell of a row. If the cleaned code was not requested, it is made from the code. */
export function toStoredCell({ content, cell, clean, labels, primary }: FoundRow): StoredCell {
  const code = codeOf(cell);
  return { id: content, code, clean: clean || strip(code).text, labels, primary };
}

export function toOccurrence({ notebook, source, name, cellIndex, facts }: About): Occurrence {
  return { notebook, source, name, cellIndex, facts };
}

/** Orders rows by (source, name, cellIndex); texts are compared by bytes. */
export function byPlace(one: About, other: About): number {
  return compareText(one.source, other.source) || compareText(one.name, other.name) || one.cellIndex - other.cellIndex;
}

export function compareText(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

interface RowOptions {
  readonly stamp: string;
  /** The cells by content. A cell that cannot be stored is missing here and gets no row. */
  readonly contents: ReadonlyMap<string, CellContent>;
  readonly isCopy: (content: string) => boolean;
  /** Whether the server searches by words. */
  readonly words: boolean;
}

/** The rows of a notebook. */
export function toCellRows({ id: notebook, cells, facts, ...rest }: Notebook, options: RowOptions): CellRow[] {
  const { stamp, contents, isCopy, words } = options;
  const [source, name] = [rest.source.toWellFormed(), rest.name.toWellFormed()];
  const votes = Math.min(MAX_VOTES, Math.max(0, Math.trunc(facts.votes ?? 0)));
  return cells.map(({ cellIndex, id }, at) => {
    const content = contents.get(id)!;
    const { primary, labels } = content;
    const next = cells[at + 1] ?? null;
    const about: About = {
      content: id,
      notebook,
      stamp,
      source,
      name,
      facts,
      votes,
      cellIndex,
      next: next && { cellIndex: next.cellIndex, id: next.id },
      primary,
      labels,
    };
    return {
      id: rowId(about),
      content: id,
      copy: isCopy(id) ? 1 : 0,
      notebook,
      stamp,
      source,
      votes,
      primary: primary ?? "",
      labels,
      about: JSON.stringify(about),
      cell: content.cell,
      clean: content.clean,
      vector: content.vector,
      ...(words && { words: toWords(codeOf(content.cell)) }),
    };
  });
}

export function toHeadRow({ id, source, name, version, skipped, cells, facts }: Notebook, stamp: string): HeadRow {
  return {
    id: `${id}/${stamp}`,
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

/** Marks the notebook as removed: older heads and rows no longer count, even if they still exist. */
export function toTombstone({ notebook, source }: Pick<Head, "notebook" | "source">, stamp: string): HeadRow {
  const empty: Notebook = { id: notebook, source, name: "", version: "", skipped: 0, cells: [], facts: {} };
  return { ...toHeadRow(empty, stamp), cells: REMOVED };
}

/** The notebook of a head; `rows` may include rows of other notebooks and writes. */
export function toNotebook(head: Head, rows: readonly About[]): Notebook {
  const { notebook: id, stamp, source, name, version, skipped, facts } = head;
  const cells = rows
    .filter((row) => row.notebook === id && row.stamp === stamp)
    .map(({ cellIndex, content }) => ({ cellIndex, id: content }))
    .sort((a, b) => a.cellIndex - b.cellIndex);
  return { id, source, name, version, skipped, cells, facts: JSON.parse(facts) as NotebookFacts };
}

/** The newest head of each notebook, including removals. */
export function newestHeads<Some extends Pick<Head, "notebook" | "stamp">>(heads: readonly Some[]): Map<string, Some> {
  const newest = new Map<string, Some>();
  for (const head of heads) {
    const known = newest.get(head.notebook);
    if (known === undefined || known.stamp < head.stamp) newest.set(head.notebook, head);
  }
  return newest;
}

function packCell(code: string, vector: Float32Array, profile: Uint8Array = new Uint8Array()): string {
  const bytes = new Int8Array(vector.length);
  quantize(vector, bytes);
  const sketch = Buffer.from(bytes.buffer).toString("base64");
  const packed = Buffer.from(profile).toString("base64");
  const fits = Buffer.byteLength(code) + sketch.length + packed.length + 2 <= MAX_TEXT;
  return `${sketch} ${fits ? packed : ""}\n${code}`;
}

/** The code of a packed cell. */
const codeOf = (cell: string) => cell.slice(cell.indexOf("\n") + 1);

const vectors = new WeakMap<object, Float32Array>();

/** The unit vector of a row, needed for searching and ranking. Cosines are within .02 of the exact ones. */
export function vectorOf(row: Pick<FoundRow, "cell">): Float32Array {
  const known = vectors.get(row);
  if (known !== undefined) return known;
  const bytes = Buffer.from(row.cell.slice(0, row.cell.indexOf(" ")), "base64");
  const vector = new Float32Array(bytes.length);
  restore(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), vector);
  vectors.set(row, vector);
  return vector;
}

/** Empty if the row has no profile. */
export const profileOf = ({ cell }: Pick<FoundRow, "cell">): Uint8Array =>
  new Uint8Array(Buffer.from(cell.slice(cell.indexOf(" ") + 1, cell.indexOf("\n")), "base64"));

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
