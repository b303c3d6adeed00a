import { RecommenderError } from "../errors.js";
import type { Exclusion, VectorStore } from "../store/vector-store.js";

/** Maximum number of preceding cells used as context. */
const MAX_CONTEXT_CELLS = 5;

/** Makes a query from a stored cell: its code, the cells before it, and the exclusion of its own occurrence. */
export async function readStoredQuery(
  store: VectorStore,
  notebook: string,
  cellIndex: number,
): Promise<{ code: string; context: { before: string[] }; exclude: Exclusion }> {
  const found = await store.notebook(notebook);
  if (found === null) throw new RecommenderError("NOT_FOUND", `There is no notebook ${notebook} in the index.`);
  const asked = found.cells.find((cell) => cell.cellIndex === cellIndex);
  const [cell] = asked === undefined ? [] : await store.cells([asked.id]);
  if (cell === undefined) {
    const indexes = found.cells.map((each) => each.cellIndex).join(", ");
    throw new RecommenderError(
      "NOT_FOUND",
      `${found.name} has no stored cell at ${cellIndex}; it has them at ${indexes}.`,
    );
  }
  const before = found.cells.filter((each) => each.cellIndex < cellIndex).slice(-MAX_CONTEXT_CELLS);
  const context = { before: (await store.cells(before.map(({ id }) => id))).map(({ code }) => code) };
  return { code: cell.code, context, exclude: { occurrence: { notebook, cellIndex } } };
}
