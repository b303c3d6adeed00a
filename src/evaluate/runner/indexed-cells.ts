import type { NamedNotebook } from "../../ingest/ingest.js";
import { extractCells } from "../../notebook/extract.js";

/** Finds the code of an indexed cell by its id; the notebooks are read at the first question. */
export function indexedCells(notebooks: readonly NamedNotebook[]): (id: string) => string | undefined {
  let cells: ReadonlyMap<string, string> | null = null;
  return (id) => {
    cells ??= new Map(
      notebooks.flatMap(({ notebook }) => extractCells(notebook).map((cell) => [cell.id, cell.code] as const)),
    );
    return cells.get(id);
  };
}
