import { RecommenderError } from "../errors.js";
import type { VectorStore } from "../store/vector-store.js";
import type { CellAnswer } from "./answers.js";
import type { OccurrencesRequest } from "./requests.js";

/** A stored cell and a page of where it occurs: a cell such as `df.head()` stands in a hundred thousand notebooks. */
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
