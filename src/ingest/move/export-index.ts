import { renameSync, rmSync } from "node:fs";
import type { IndexIdentity, Notebook, StoredCell, VectorStore } from "../../store/vector-store.js";
import { type Columns, createTable, type Row } from "./parquet.js";

export interface MovedCounts {
  readonly notebooks: number;
  readonly cells: number;
}

const PAGE_SIZE = 200;
/** Rows per row group; small groups make reading slow. */
const ROWS_PER_GROUP = 2_000;

/**
 * Writes the index to two Parquet files, one of cells and one of notebooks. Cells are in the order in which notebooks
 * first contain them, so an import reads both files sequentially.
 */
export async function exportIndex(
  store: VectorStore,
  identity: IndexIdentity,
  file: string,
  {
    signal,
    onProgress = () => {},
  }: { readonly signal?: AbortSignal; readonly onProgress?: (moved: MovedCounts) => void } = {},
): Promise<MovedCounts> {
  const files = [file, notebooksFile(file)];
  // The files have temporary names until they are complete.
  const parts = files.map((name) => `${name}.part`);
  const notes = toNotes(identity);
  const [cellTable, notebookTable] = [
    createTable(parts[0]!, CELL_COLUMNS, notes),
    createTable(parts[1]!, NOTEBOOK_COLUMNS, notes),
  ];
  const seen = new Set<string>();
  let notebooks = 0;
  const cellRows: Row[] = [];
  const notebookRows: Row[] = [];
  const flush = async (min: number) => {
    if (cellRows.length >= min) await cellTable.write(cellRows.splice(0));
    if (notebookRows.length >= min) await notebookTable.write(notebookRows.splice(0));
  };
  try {
    for await (const page of readPages(store)) {
      signal?.throwIfAborted();
      const newIds: string[] = [];
      for (const notebook of page) {
        const before = newIds.length;
        for (const { id } of notebook.cells) {
          if (seen.has(id)) continue;
          seen.add(id);
          newIds.push(id);
        }
        notebookRows.push(toNotebookRow(notebook, newIds.length - before));
      }
      notebooks += page.length;
      cellRows.push(...(await readCells(store, newIds)));
      await flush(ROWS_PER_GROUP);
      onProgress({ notebooks, cells: seen.size });
    }
    await flush(1);
    await cellTable.finish();
    await notebookTable.finish();
    for (const [place, part] of parts.entries()) renameSync(part, files[place]!);
    return { notebooks, cells: seen.size };
  } finally {
    for (const part of parts) rmSync(part, { force: true });
  }
}

async function* readPages(store: VectorStore): AsyncGenerator<Notebook[]> {
  for (let after = ""; ; ) {
    const page = await store.notebooks({ ...(after !== "" && { after }), limit: PAGE_SIZE });
    const found = await Promise.all(page.map(({ id }) => store.notebook(id)));
    yield found.filter((notebook) => notebook !== null);
    if (page.length < PAGE_SIZE) return;
    after = page.at(-1)!.id;
  }
}

async function readCells(store: VectorStore, ids: readonly string[]): Promise<Row[]> {
  const [cells, vectors, places] = await Promise.all([store.cells(ids), store.vectors(ids), store.provenance(ids)]);
  return cells.map((cell: StoredCell) => {
    const { count, first } = places.get(cell.id) ?? { count: 0, first: null };
    const vector = vectors.get(cell.id)!;
    const { location, title, author, licence, votes } = first?.facts ?? {};
    return {
      id: cell.id,
      code: cell.code,
      clean: cell.clean,
      labels: cell.labels.join(","),
      primary: cell.primary,
      vector: new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      occurrences: count,
      source: first?.source,
      name: first?.name,
      cell_index: first?.cellIndex,
      location,
      title,
      author,
      licence,
      votes,
    };
  });
}

function toNotebookRow({ id, source, name, version, skipped, facts, cells }: Notebook, firstCells: number): Row {
  const positions = JSON.stringify(cells.map((cell) => [cell.cellIndex, cell.id]));
  return {
    id,
    source,
    name,
    version,
    skipped,
    facts: JSON.stringify(facts),
    cells: positions,
    first_cells: firstCells,
  };
}

/** One row per cell, with its first occurrence. The vector is float32, little-endian. */
const CELL_COLUMNS: Columns = {
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

/**
 * One row per notebook. `cells` is JSON, a list of [cellIndex, id]; `first_cells` is the number of cells that no
 * earlier notebook contains.
 */
const NOTEBOOK_COLUMNS: Columns = {
  id: { type: "STRING" },
  source: { type: "STRING" },
  name: { type: "STRING" },
  version: { type: "STRING" },
  skipped: { type: "INT32" },
  facts: { type: "STRING" },
  cells: { type: "STRING" },
  first_cells: { type: "INT32" },
};

/** Format version. Increase it when older readers cannot read the tables any more. */
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
