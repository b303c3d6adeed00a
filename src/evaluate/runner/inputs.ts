import { createHash } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import { extractCells } from "../../notebook/extract.js";
import type { NamedNotebook } from "../../notebook/notebook.js";

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

/** INPUT_INVALID for cases of the same id: answers are kept by id, so that one would count for both. */
export function requireDistinctIds(cases: readonly { readonly id: string }[], from: string): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new RecommenderError("INPUT_INVALID", `${from}: two cases have the id ${id}.`);
    ids.add(id);
  }
}

/** A short name of a value: equal for equal values, and only for these. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
