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

/** INPUT_INVALID if two cases have the same id, because answers are stored by id. */
export function requireDistinctIds(cases: readonly { readonly id: string }[], from: string): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new RecommenderError("INPUT_INVALID", `${from}: two cases have the id ${id}.`);
    ids.add(id);
  }
}

/** At most `max` items, evenly spread. */
export function spread<T>(items: readonly T[], max: number): readonly T[] {
  if (items.length <= max) return items;
  return Array.from({ length: max }, (_, at) => items[Math.floor((items.length * at) / max)]!);
}

/** Keeps at most `max` cases, evenly spread. The number is a setting of the run. */
export function limitCases<C extends Prepared & { readonly cases: readonly unknown[] }>(prepared: C, max: number): C {
  const settings = { ...prepared.settings, limit: max };
  return { ...prepared, cases: spread(prepared.cases, max), settings };
}

/** A short hash of a value as JSON. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
