import { realpathSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { notebookId, UPLOAD } from "../notebook/extract.js";
import type { VectorStore } from "../store/vector-store.js";

const PAGE = 1_000;

/**
 * The ids of the notebooks that somebody means by an id, by the path of a file on this machine, or by the path in a source;
 * of the latter there can be several. Empty where there is none.
 */
export async function findNotebooks(store: VectorStore, given: string): Promise<string[]> {
  const direct = [...(await store.versions([given, notebookId(given, UPLOAD), ...idsOfFile(given)])).keys()];
  return direct.length > 0 ? direct : findByName(store, given);
}

/** A file may belong to the source of any folder above it. */
function idsOfFile(given: string): string[] {
  const file = realPath(resolve(given));
  const ids: string[] = [];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    ids.push(notebookId(relative(folder, file).split(sep).join("/"), folder));
    if (folder === dirname(folder)) return ids;
  }
}

/** The folder's real path is what a source is named after; the file itself may be gone by now. */
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
