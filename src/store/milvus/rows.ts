import type { NewCell, Notebook, NotebookFacts, Occurrence, StoredCell } from "../vector-store.js";

export interface CellRow {
  readonly id: string;
  /** Empty where the cell has no label. */
  readonly primary: string;
  readonly labels: readonly string[];
  readonly clean: string;
  readonly code: string;
  readonly vector: readonly number[];
}

/** One place of a cell, or, with the index -1, the head of a notebook. */
export interface OccurrenceRow {
  readonly id: string;
  readonly notebook: string;
  readonly source: string;
  readonly name: string;
  /** JSON. */
  readonly facts: string;
  readonly version: string;
  readonly cell_index: number;
  readonly cell_id: string;
  /** Of a head: the numbers of its notebook, and whether the write that made it came to its end. */
  readonly skipped: number;
  readonly cells: number;
  readonly complete: boolean;
  /** Milvus wants a vector in every collection. */
  readonly anchor: readonly number[];
}

export type PlaceRow = Pick<
  OccurrenceRow,
  "id" | "notebook" | "source" | "name" | "facts" | "version" | "cell_index" | "cell_id"
>;
export type HeadRow = Omit<OccurrenceRow, "anchor">;

export const PLACE_FIELDS = ["id", "notebook", "source", "name", "facts", "version", "cell_index", "cell_id"] as const;
export const HEAD_FIELDS = [...PLACE_FIELDS, "skipped", "cells", "complete"] as const;
export const CELL_FIELDS = ["id", "primary", "labels", "clean", "code"] as const;
export const HEAD_INDEX = -1;
const ANCHOR = [0, 0];

export function toCellRow({ id, primary, labels, clean, code, vector }: NewCell): CellRow {
  return {
    id,
    primary: primary ?? "",
    labels: [...labels],
    clean: clean.toWellFormed(),
    code: code.toWellFormed(),
    vector: Array.from(vector),
  };
}

export function toStoredCell({ id, code, clean, labels, primary }: CellRow): StoredCell {
  return { id, code, clean, labels: [...labels], primary: primary === "" ? null : primary };
}

export function toOccurrence({ notebook, source, name, cell_index, facts }: PlaceRow): Occurrence {
  return { notebook, source, name, cellIndex: cell_index, facts: readFacts(facts) };
}

/** In front of the places of the notebook, and in the order of the notebooks' ids. */
export function headId(notebook: string): string {
  return `${notebook}/`;
}

/** The version is in the key, so a new version is written beside the old one, and the head switches between them. */
export function toPlaceRows({ id, source, name, version, cells, facts }: Notebook): OccurrenceRow[] {
  return cells.map((cell) => ({
    id: `${id}/${version}/${cell.cellIndex}`,
    notebook: id,
    source: source.toWellFormed(),
    name: name.toWellFormed(),
    facts: JSON.stringify(facts),
    version,
    cell_index: cell.cellIndex,
    cell_id: cell.id,
    skipped: 0,
    cells: 0,
    complete: true,
    anchor: ANCHOR,
  }));
}

export function toHeadRow(
  { id, source, name, version, skipped, cells, facts }: Notebook,
  complete: boolean,
): OccurrenceRow {
  return {
    id: headId(id),
    notebook: id,
    source: source.toWellFormed(),
    name: name.toWellFormed(),
    facts: JSON.stringify(facts),
    version,
    cell_index: HEAD_INDEX,
    cell_id: "",
    skipped,
    cells: cells.length,
    complete,
    anchor: ANCHOR,
  };
}

/** The notebook of a head and all its rows. An unfinished write has no version, so that it is not taken for done. */
export function toNotebook(head: HeadRow, rows: readonly HeadRow[]): Notebook {
  const cells = rows
    .filter(({ cell_index, version }) => cell_index !== HEAD_INDEX && version === head.version)
    .map(({ cell_index, cell_id }) => ({ cellIndex: cell_index, id: cell_id }))
    .sort((a, b) => a.cellIndex - b.cellIndex);
  const { notebook: id, source, name, skipped, facts } = head;
  return { id, source, name, version: head.complete ? head.version : "", skipped, cells, facts: readFacts(facts) };
}

function readFacts(facts: string): NotebookFacts {
  return JSON.parse(facts) as NotebookFacts;
}
