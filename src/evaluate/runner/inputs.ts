import { createHash } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import { extractCells } from "../../notebook/extract.js";
import type { NamedNotebook } from "../../notebook/notebook.js";

/** Finds the code of an indexed cell by its id; the notebooks are read on first use. */
export function indexedCells(notebooks: readonly NamedNotebook[]): (id: string) => string | undefined {
  let cells: ReadonlyMap<string, string> | null = null;
  return (id) => {
    cells ??= new Map(
      notebooks.flatMap(({ notebook }) => extractCells(notebook).map((cell) => [cell.id, cell.code] as const)),
    );
    return cells.get(id);
  };
}

/** INPUT_INVALID for two cases with one id: answers are stored by id. */
export function requireDistinctIds(cases: readonly { readonly id: string }[], from: string): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new RecommenderError("INPUT_INVALID", `${from}: two cases have the id ${id}.`);
    ids.add(id);
  }
}

/** A short hash of a value as JSON. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
