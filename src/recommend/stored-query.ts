import { RecommenderError } from "../errors.js";
import type { Exclusion, VectorStore } from "../store/vector-store.js";

/** The query for a cell that is stored: its code, and its own place left out of the answer. */
export async function findPlace(
  store: VectorStore,
  notebook: string,
  cellIndex: number,
): Promise<{ code: string; exclude: Exclusion }> {
  const found = await store.notebook(notebook);
  if (found === null) throw new RecommenderError("NOT_FOUND", `There is no notebook ${notebook} in the index.`);
  const place = found.cells.find((cell) => cell.cellIndex === cellIndex);
  const [cell] = place === undefined ? [] : await store.cells([place.id]);
  if (cell === undefined) {
    const places = found.cells.map((each) => each.cellIndex).join(", ");
    throw new RecommenderError(
      "NOT_FOUND",
      `${found.name} has no stored cell at ${cellIndex}; it has them at ${places}.`,
    );
  }
  return { code: cell.code, exclude: { occurrence: { notebook, cellIndex } } };
}
