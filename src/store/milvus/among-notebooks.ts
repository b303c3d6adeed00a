import type { Hit, NotebookFilter } from "../vector-store.js";
import { isIn, notebookExpression } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Journal } from "./journal.js";
import { HEAD_INDEX, type OccurrenceRow } from "./rows.js";
import type { Level, Tables } from "./tables.js";
import type { Visibility } from "./visibility.js";

export interface AmongNotebooksDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly visibility: Visibility;
  readonly limits?: AmongLimits;
}

export interface AmongLimits {
  /** So many cells can be named in one expression: a quarter of a megabyte. */
  readonly named: number;
  /** Beyond this many candidates those that pass are looked for by name. */
  readonly candidates: number;
}

const LIMITS: AmongLimits = { named: 4_096, candidates: 8_192 };

/** Finds the k best cells, of those that pass the expression where there is one. */
export type FindBest = (k: number, among?: string) => Promise<readonly Hit[]>;

type Slim = Pick<OccurrenceRow, "id" | "notebook" | "write" | "cell_id">;

const SLIM = ["id", "notebook", "write", "cell_id"] as const;

/**
 * Searches the cells of some notebooks only. A cell's row does not say where it stands, and Milvus cannot join: so a few cells are
 * named one by one, and of many the best of all are looked at until enough of them pass.
 */
export function createAmongNotebooks({ tables, journal, visibility, limits = LIMITS }: AmongNotebooksDeps) {
  const pagesOf = (generation: Generation, expression: string, level: Level) =>
    tables.pages<Slim>(generation.occurrences, `cell_index != ${HEAD_INDEX} and ${expression}`, limits.named, {
      fields: SLIM,
      level,
    });
  const standing = async (generation: Generation, rows: readonly Slim[], level: Level) => {
    const counting = await visibility.visible(generation, rows, await journal.underWay(level), level);
    return [...new Set(counting.map(({ cell_id }) => cell_id))];
  };

  return async (
    generation: Generation,
    { k, notebooks, level }: { readonly k: number; readonly notebooks: NotebookFilter; readonly level: Level },
    find: FindBest,
  ): Promise<Hit[]> => {
    const expression = notebookExpression(notebooks);
    if (expression === null) return [];
    if (expression === "") return [...(await find(k))];
    const [first = []] = await take(pagesOf(generation, expression, level), 1);
    if (first.length < limits.named) {
      const cells = await standing(generation, first, level);
      return cells.length === 0 ? [] : [...(await find(k, isIn("id", cells)))];
    }
    for (let wanted = 4 * k; wanted <= limits.candidates; wanted *= 4) {
      const hits = await find(wanted);
      const ids = hits.map(({ id }) => id);
      const holdings = await visibility.holdings(generation, ids, level, ` and ${expression}`);
      const passing = hits.filter(({ id }) => holdings.get(id) === "visible");
      if (passing.length >= k || hits.length < wanted) return passing.slice(0, k);
    }
    // They are many, and all of them far away.
    const best = new Map<string, Hit>();
    for await (const page of pagesOf(generation, expression, level)) {
      const cells = await standing(generation, page, level);
      for (const hit of cells.length === 0 ? [] : await find(k, isIn("id", cells))) best.set(hit.id, hit);
    }
    return [...best.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, k);
  };
}

async function take<T>(stream: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of stream) {
    taken.push(item);
    if (taken.length >= count) break;
  }
  return taken;
}
