import { RecommenderError } from "../../errors.js";
import type { IndexIdentity, NewCell, Notebook, NotebookFacts, VectorStore } from "../../store/vector-store.js";
import { findMismatch, isExport, type MovedCounts, notebooksFile } from "./export-index.js";
import { openTable, type Row } from "./parquet.js";

const NOTEBOOKS_AT_ONCE = 100;

/** Adds the files of `exportIndex` to an index of any store. Repeating an import changes nothing. */
export async function importIndex(
  store: VectorStore,
  identity: IndexIdentity,
  file: string,
  {
    signal,
    onProgress = () => {},
  }: { readonly signal?: AbortSignal; readonly onProgress?: (moved: MovedCounts, of: number) => void } = {},
): Promise<MovedCounts> {
  const [cells, notebooks] = [await openTable(file), await openTable(notebooksFile(file))];
  for (const { notes } of [cells, notebooks]) {
    if (!isExport(notes))
      throw new RecommenderError(
        "INPUT_INVALID",
        `${file} is not an export of this version; \`celrec export\` writes one.`,
      );
    const mismatch = findMismatch(notes, identity);
    if (mismatch === null) continue;
    const advice = "set CELREC_EMBEDDER and CELREC_LABELS as they were when it was exported";
    throw new RecommenderError("INDEX_MISMATCH", `${file} was exported with ${mismatch}; ${advice}.`);
  }
  let at = 0;
  for (let from = 0; from < notebooks.rows; from += NOTEBOOKS_AT_ONCE) {
    signal?.throwIfAborted();
    const rows = await notebooks.read(from, Math.min(from + NOTEBOOKS_AT_ONCE, notebooks.rows));
    const first = rows.reduce((sum, row) => sum + Number(row.first_cells), 0);
    const cellsById = new Map((await cells.read(at, at + first)).map(toCell).map((cell) => [cell.id, cell]));
    at += first;
    await store.write(
      rows.map(toNotebook),
      async (ids) => ids.map((id) => cellsById.get(id) ?? failMissingCell(id, file)),
      signal,
    );
    onProgress({ notebooks: from + rows.length, cells: at }, notebooks.rows);
  }
  return { notebooks: notebooks.rows, cells: at };
}

/** Refuses a notebook whose cells are missing, because it would look like an empty notebook. */
function failMissingCell(id: string, file: string): never {
  const problem = `${notebooksFile(file)} names the cell ${id}, which is not at the expected position in ${file}`;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${problem}; the two files are from different exports. Export the index again.`,
  );
}

function toNotebook(row: Row): Notebook {
  const positions = JSON.parse(String(row.cells)) as [number, string][];
  return {
    id: String(row.id),
    source: String(row.source),
    name: String(row.name),
    version: String(row.version),
    skipped: Number(row.skipped),
    facts: JSON.parse(String(row.facts)) as NotebookFacts,
    cells: positions.map(([cellIndex, id]) => ({ cellIndex, id })),
  };
}

function toCell(row: Row): NewCell {
  const bytes = row.vector as Uint8Array;
  return {
    id: String(row.id),
    code: String(row.code),
    clean: String(row.clean),
    labels: row.labels === "" ? [] : String(row.labels).split(","),
    primary: row.primary == null ? null : String(row.primary),
    // Copied, because the bytes in the file may not be aligned.
    vector: new Float32Array(bytes.slice().buffer),
  };
}
