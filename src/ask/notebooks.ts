import { RecommenderError } from "../errors.js";
import type { VectorStore } from "../store/vector-store.js";
import type { NotebookAnswer, NotebookList } from "./answers.js";
import { findNotebooks } from "./find-notebooks.js";
import type { ListRequest } from "./requests.js";

export async function listNotebooks(store: VectorStore, { cursor, limit }: ListRequest): Promise<NotebookList> {
  const notebooks = await store.notebooks({ ...(cursor !== undefined && { after: cursor }), limit });
  return { notebooks, cursor: notebooks.length === limit ? notebooks.at(-1)!.id : null };
}

/** A notebook with its stored cells and their labels. */
export async function getNotebook(store: VectorStore, id: string, signal?: AbortSignal): Promise<NotebookAnswer> {
  const notebook = await store.notebook(id);
  if (notebook === null) throw unknownNotebook(id);
  const ids = notebook.cells.map((cell) => cell.id);
  const cells = new Map((await store.cells(ids, signal)).map((cell) => [cell.id, cell]));
  return {
    id,
    source: notebook.source,
    name: notebook.name,
    ...notebook.facts,
    version: notebook.version,
    skipped: notebook.skipped,
    // Another process may have replaced the notebook since, and the cell may be gone.
    cells: notebook.cells.flatMap(({ cellIndex, id: cell }) => {
      const found = cells.get(cell);
      if (found === undefined) return [];
      const { code, labels, primary } = found;
      return [{ cellIndex, id: cell, code, labels, primary }];
    }),
  };
}

/** Takes an id; NOT_FOUND where there is no such notebook. */
export async function deleteNotebook(store: VectorStore, id: string): Promise<void> {
  if (!(await store.remove(id))) throw unknownNotebook(id);
}

/** Takes paths or ids, and tells which of them were there. INPUT_INVALID for a path that stands in several sources. */
export async function deleteNotebooks(
  store: VectorStore,
  names: readonly string[],
): Promise<{ deleted: string[]; unknown: string[] }> {
  const deleted: string[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const found = await findNotebooks(store, name);
    if (found.length > 1) throw severalNotebooks(name, found);
    const isThere = found.length === 1 && (await store.remove(found[0]!));
    (isThere ? deleted : unknown).push(name);
  }
  if (deleted.length === 0) throw new RecommenderError("NOT_FOUND", `Not in the index: ${unknown.join(", ")}.`);
  return { deleted, unknown };
}

function unknownNotebook(id: string): RecommenderError {
  return new RecommenderError("NOT_FOUND", `There is no notebook ${id}; GET /v1/notebooks lists them.`);
}

function severalNotebooks(name: string, ids: readonly string[]): RecommenderError {
  const message = `${name} stands in ${ids.length} sources; name one by its id: ${ids.join(", ")}.`;
  return new RecommenderError("INPUT_INVALID", message);
}
