import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { RecommenderError } from "../errors.js";
import { readSyncs } from "../ingest/ledger.js";
import { readCode } from "../ingest/read-content.js";
import { notebookId, sourceId, UPLOAD_SOURCE } from "../notebook/extract.js";
import { readNotebookFile } from "../notebook/formats.js";
import type { VectorStore } from "../store/vector-store.js";
import type { CellAnswer, MarkdownAnswer, NotebookAnswer, NotebookList, SourceList, Stats } from "./answers.js";
import type { AskDeps } from "./deps.js";
import type { ListRequest, OccurrencesRequest } from "./requests.js";

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
    // Another process may have replaced the notebook meanwhile, so the cell may be gone.
    cells: notebook.cells.flatMap(({ cellIndex, id: cell }) => {
      const found = cells.get(cell);
      if (found === undefined) return [];
      const { code, labels, primary } = found;
      return [{ cellIndex, id: cell, code, labels, primary }];
    }),
  };
}

/**
 * The Markdown of a notebook, read from its file: the index stores code only. Empty if the file is not on this machine or its
 * code has changed since it was indexed.
 */
export async function getMarkdown(store: VectorStore, id: string): Promise<MarkdownAnswer> {
  const stored = await store.notebook(id);
  if (stored === null) throw unknownNotebook(id);
  const { location } = stored.facts;
  if (location === undefined || !isAbsolute(location)) return { cells: [] };
  const file = readNotebookFile(location);
  if ("rejected" in file) return { cells: [] };
  const read = readCode(file.notebook);
  if ("rejected" in read || read.code.version !== stored.version) return { cells: [] };
  const texts = file.notebook.cells.filter(({ type }) => type === "markdown");
  return { cells: texts.map(({ index, source }) => ({ cellIndex: index, text: source.toWellFormed() })) };
}

/** Removes a notebook by id; NOT_FOUND if there is no such notebook. */
export async function deleteNotebook(store: VectorStore, id: string): Promise<void> {
  if (!(await store.remove(id))) throw unknownNotebook(id);
}

/**
 * Removes notebooks by path or id, and returns which of them existed. INPUT_INVALID for a path that is in several
 * sources.
 */
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
  const message = `${name} is in ${ids.length} sources; choose one by its id: ${ids.join(", ")}.`;
  return new RecommenderError("INPUT_INVALID", message);
}

const PAGE = 1_000;

/**
 * The ids of the notebooks with this id, this path on this machine, or this path in any source; several sources may have
 * the same path. Empty if there is none.
 */
export async function findNotebooks(store: VectorStore, given: string): Promise<string[]> {
  const direct = [...(await store.versions([given, notebookId(given, UPLOAD_SOURCE), ...idsOfFile(given)])).keys()];
  return direct.length > 0 ? direct : findByName(store, given);
}

/** The possible sources of a file: each folder above it. */
function idsOfFile(given: string): string[] {
  const file = realPath(resolve(given));
  const ids: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    ids.push(notebookId(relative(folder, file).split(sep).join("/"), folder));
    if (folder === dirname(folder)) return ids;
  }
}

/** Sources are named after the folder's real path. The file itself may have been deleted. */
function realPath(path: string): string {
  try {
    return resolve(realpathSync(dirname(path)), relative(dirname(path), path));
  } catch {
    return path;
  }
}

async function findByName(store: VectorStore, name: string): Promise<string[]> {
  const found: string[] = [];
  for (let after = ""; ; ) {
    const page = await store.notebooks({ after, limit: PAGE });
    found.push(...page.filter((notebook) => notebook.name === name).map(({ id }) => id));
    if (page.length < PAGE) return found;
    after = page.at(-1)!.id;
  }
}

/** A stored cell and a page of its occurrences: a cell such as `df.head()` can be in a hundred thousand notebooks. */
export async function getCell(
  store: VectorStore,
  id: string,
  { offset, limit }: OccurrencesRequest,
  signal?: AbortSignal,
): Promise<CellAnswer> {
  const [[cell], provenance, occurrences] = await Promise.all([
    store.cells([id], signal),
    store.provenance([id], undefined, signal),
    store.occurrences(id, { offset, limit }),
  ]);
  if (cell === undefined) throw new RecommenderError("NOT_FOUND", `There is no cell ${id} in the index.`);
  return {
    ...cell,
    count: provenance.get(id)?.count ?? 0,
    occurrences: occurrences.map(({ notebook, source, name, cellIndex, facts }) => ({
      notebook: { id: notebook, source, name, ...facts },
      cellIndex,
    })),
  };
}

/** The sources of an index; `folder` contains the ledger of indexing runs. */
export async function listSources(store: VectorStore, folder: string): Promise<SourceList> {
  const syncs = new Map(readSyncs(folder).map((sync) => [sync.source, sync]));
  const sources = (await store.sources()).map((summary) => {
    const { at = null, rejected = null } = syncs.get(summary.source) ?? {};
    return { id: sourceId(summary.source), ...summary, lastSync: at, rejected };
  });
  return { sources };
}

/** Removes a source, by its id or its name, with all its notebooks. */
export async function forgetSource(
  store: VectorStore,
  given: string,
  signal?: AbortSignal,
): Promise<{ source: string; removed: number }> {
  const found = (await store.sources()).find(({ source }) => source === given || sourceId(source) === given);
  if (found === undefined)
    throw new RecommenderError(
      "NOT_FOUND",
      `There is no source ${given}; GET /v1/sources or celrec sources lists them.`,
    );
  const removed = await store.removeSource(found.source, signal === undefined ? {} : { signal });
  return { source: found.source, removed };
}

/** The size and the identity of the index. */
export async function readStats({ store, embedder, labeller }: Pick<AskDeps, "store" | "embedder" | "labeller">) {
  const stats: Stats = {
    ...(await store.counts()),
    embedder: { id: embedder.id, dimensions: embedder.dimensions },
    labeller: labeller.id,
    store: { name: store.name, stalenessMs: store.stalenessMs },
  };
  return stats;
}

/** The label set with the number of stored cells that have each. */
export async function countLabels({ store, labeller }: Pick<AskDeps, "store" | "labeller">) {
  const { labels } = await store.counts();
  return { labels: labeller.labels.map((label) => ({ label, cells: labels[label] ?? 0 })) };
}
