import type { IndexIdentity } from "../../store/vector-store.js";
import type { Columns } from "./parquet.js";

/** One row per cell, with its first occurrence. The vector is float32, little-endian. */
export const CELLS: Columns = {
  id: { type: "STRING" },
  code: { type: "STRING" },
  clean: { type: "STRING" },
  labels: { type: "STRING" },
  primary: { type: "STRING", nullable: true },
  vector: { type: "BYTE_ARRAY" },
  occurrences: { type: "INT32" },
  source: { type: "STRING", nullable: true },
  name: { type: "STRING", nullable: true },
  cell_index: { type: "INT32", nullable: true },
  location: { type: "STRING", nullable: true },
  title: { type: "STRING", nullable: true },
  author: { type: "STRING", nullable: true },
  licence: { type: "STRING", nullable: true },
  votes: { type: "INT32", nullable: true },
};

/** One row per notebook. `cells` is JSON, a list of [cellIndex, id]; `first_cells` counts the rows of the other table that it is the first to hold. */
export const NOTEBOOKS: Columns = {
  id: { type: "STRING" },
  source: { type: "STRING" },
  name: { type: "STRING" },
  version: { type: "STRING" },
  skipped: { type: "INT32" },
  facts: { type: "STRING" },
  cells: { type: "STRING" },
  first_cells: { type: "INT32" },
};

/** Raise it when a table changes in a way that older readers cannot read. */
const FORMAT = "1";

/** The second file of an export, beside the first. */
export function notebooksFile(file: string): string {
  return file.replace(/(\.parquet)?$/, ".notebooks.parquet");
}

/** Metadata of both tables: the identity of the exported index. */
export function toNotes({ embedder, dimensions, labeller, labels }: IndexIdentity): Record<string, string> {
  return {
    "celrec.format": FORMAT,
    "celrec.embedder": embedder,
    "celrec.dimensions": String(dimensions),
    "celrec.labeller": labeller,
    "celrec.labels": labels.join(","),
  };
}

/** Whether a table belongs to an export in a format that this version reads. */
export function isExport(notes: ReadonlyMap<string, string>): boolean {
  return notes.get("celrec.format") === FORMAT;
}

/** The first note that does not match an index; null if all match. */
export function findMismatch(notes: ReadonlyMap<string, string>, identity: IndexIdentity): string | null {
  const ours = toNotes(identity);
  for (const key of ["celrec.embedder", "celrec.dimensions", "celrec.labels"])
    if (notes.get(key) !== ours[key])
      return `${key.replace("celrec.", "")} ${notes.get(key) ?? "unknown"}, not ${ours[key]}`;
  return null;
}
