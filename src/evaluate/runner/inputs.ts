import { createHash } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import { extractCells } from "../../notebook/extract.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import type { Prepared } from "../suite.js";

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

/** At most so many items, evenly spread. */
export function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, at) => items[Math.floor((items.length * at) / most)]!);
}

/** At most so many cases, spread over all of them. The number is a setting of the run. */
export function limitCases<C extends Prepared & { readonly cases: readonly unknown[] }>(prepared: C, most: number): C {
  const settings = { ...prepared.settings, limit: most };
  return { ...prepared, cases: spread(prepared.cases, most), settings };
}

/** A short hash of a value as JSON. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
