import { RecommenderError } from "../errors.js";
import { type NotebookCode, type ReadNotebook, readCode } from "../ingest/read-content.js";
import { idOf } from "../ingest/screen.js";
import type { Workers } from "../ingest/workers.js";
import type { CorpusItem } from "../notebook/corpus/entry.js";
import { readNotebook } from "../notebook/parse-notebook.js";
import { createSimilarNotebooks } from "../similar/find-similar.js";
import type { VectorStore } from "../store/vector-store.js";
import type { SimilarAnswer } from "./answers.js";
import type { AskDeps } from "./deps.js";
import type { SimilarRequest } from "./requests.js";

/** A notebook to compare with, and the ids to leave out. */
export interface SimilarQuery {
  readonly code: NotebookCode;
  readonly exclude: readonly string[];
  /** The path of the notebook, if it is a local file. */
  readonly location?: string | undefined;
}

/** Finds the stored notebooks most similar to a given one, which is either stored or sent with the request. */
export function createSimilar({ store, workers }: Pick<AskDeps, "store" | "workers">) {
  const findSimilar = createSimilarNotebooks({ store, make: workers.make });
  const find = async (
    { code, exclude, location }: SimilarQuery,
    k: number,
    signal?: AbortSignal,
  ): Promise<SimilarAnswer> => {
    const found = await findSimilar(code, { k, exclude, location, ...(signal && { signal }) });
    return { notebooks: found.map(({ facts, ...rest }, at) => ({ rank: at + 1, ...rest, ...facts })) };
  };
  return {
    find,
    ask: async ({ notebook, k }: SimilarRequest, signal?: AbortSignal): Promise<SimilarAnswer> =>
      find(typeof notebook === "string" ? await readStored(store, notebook) : readSent(notebook), k, signal),
  };
}

async function readStored(store: VectorStore, id: string): Promise<SimilarQuery> {
  const found = await store.notebook(id);
  if (found === null)
    throw new RecommenderError("NOT_FOUND", `There is no notebook ${id}; GET /v1/notebooks lists them.`);
  const codes = new Map((await store.cells(found.cells.map((cell) => cell.id))).map((cell) => [cell.id, cell.code]));
  const cells = found.cells.flatMap((cell) => (codes.has(cell.id) ? [{ ...cell, code: codes.get(cell.id)! }] : []));
  return { code: { cells, version: found.version }, exclude: [id] };
}

function readSent(notebook: Readonly<Record<string, unknown>>): SimilarQuery {
  const parsed = readNotebook(notebook);
  const read: ReadNotebook = "rejected" in parsed ? parsed : readCode(parsed.notebook);
  if ("code" in read) return { code: read.code, exclude: [] };
  const { kind, reason } = read.rejected;
  throw new RecommenderError(
    kind === "too-large" ? "TOO_LARGE" : "NOT_A_NOTEBOOK",
    `The notebook was rejected: ${reason}`,
  );
}

/** A notebook on disk. It may be stored under its id or, in a named source, under another id with its location. */
interface SingleNotebook {
  readonly id: string;
  readonly location: string | undefined;
  readonly code: NotebookCode;
}

/** Reads one notebook. NOT_FOUND or NOT_A_NOTEBOOK if there is none. */
export async function readSingleNotebook(path: string, workers: Pick<Workers, "read">): Promise<SingleNotebook> {
  // The service never reads paths.
  const { openPaths } = await import("../notebook/corpus/open-paths.js");
  const { corpus } = await openPaths([path]);
  const all: CorpusItem[] = [];
  for await (const found of corpus) {
    all.push(found);
    if (all.length > 1)
      throw new RecommenderError("INPUT_INVALID", `${path} contains several notebooks; name one of them.`);
  }
  const [found] = all;
  if (found === undefined) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${path}.`);
  const content = "rejected" in found ? found : await found.read();
  const read = "rejected" in content ? content : await workers.read(content);
  const location = "rejected" in found ? undefined : found.facts.location;
  if ("code" in read) return { id: idOf(found), location, code: read.code };
  throw new RecommenderError("NOT_A_NOTEBOOK", `${path}: ${read.rejected.reason}`);
}
