import { RecommenderError } from "../errors.js";
import { type NotebookCode, readCode } from "../ingest/read-content.js";
import { readNotebook } from "../notebook/parse.js";
import { createSimilarNotebooks, type SimilarNotebook } from "../similar/similar-notebooks.js";
import type { NotebookFacts } from "../store/vector-store.js";
import { checkCellCount } from "./check-size.js";
import type { AskDeps } from "./deps.js";
import { getNotebook } from "./notebooks.js";
import type { SimilarRequest } from "./requests.js";

export interface SimilarAnswer {
  readonly notebooks: readonly (Omit<SimilarNotebook, "facts"> & NotebookFacts)[];
}

export type FindSimilar = (request: SimilarRequest, signal?: AbortSignal) => Promise<SimilarAnswer>;

/** The stored notebooks most like a whole one; one that is stored is not its own answer. */
export function createFindSimilar({ store, workers }: Pick<AskDeps, "store" | "workers">): FindSimilar {
  const findSimilar = createSimilarNotebooks({ store, make: workers.make });
  return async ({ notebook, k }, signal) => {
    const isStored = typeof notebook === "string";
    const code = isStored ? await getNotebook(store, notebook, signal) : readGiven(notebook);
    const exclude = isStored ? [notebook] : [];
    const found = await findSimilar(code, { k, exclude, ...(signal !== undefined && { signal }) });
    return { notebooks: found.map(({ facts, ...each }) => ({ ...each, ...facts })) };
  };
}

function readGiven(json: Readonly<Record<string, unknown>>): NotebookCode {
  const parsed = readNotebook(json);
  if ("notebook" in parsed) checkCellCount("The notebook", parsed.notebook);
  const read = "rejected" in parsed ? parsed : readCode(parsed.notebook);
  if ("code" in read) return read.code;
  throw new RecommenderError("NOT_A_NOTEBOOK", `The notebook is not taken: ${read.rejected.reason}`);
}
