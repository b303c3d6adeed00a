import { type Exclusion, MAX_NEXT_CELLS, type NextCell, type Occurrence, type Provenance } from "../vector-store.js";
import { isIn, isNotIn, notebookExpression, quote } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Journal, UnderWay } from "./journal.js";
import { OCCURRENCE_FIELDS, type OccurrenceRow, toOccurrence } from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";
import type { Visibility } from "./visibility.js";

export interface OccurrencesDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly visibility: Visibility;
  /** Asked before each read that is not strong by contract. */
  readonly level: () => Level;
}

type Row = Pick<OccurrenceRow, (typeof OCCURRENCE_FIELDS)[number]>;

/** The first occurrences of a cell, by (source, name, index); `isAll` where there are no more. */
interface First {
  readonly rows: Row[];
  isAll: boolean;
}

/** Rows of one read. A cell that has more is counted by the server instead. */
const ROWS_AT_ONCE = 512;

/** Where cells stand. What is read of a cell is bounded, however often it occurs. */
export function createOccurrences({ tables, journal, visibility, level }: OccurrencesDeps) {
  /** The first `enough` occurrences of each cell, or a few more; in as few reads as that takes. */
  const firstOf = async (
    { occurrences }: Generation,
    cells: readonly string[],
    enough: number,
    and: string,
    at: Level,
  ): Promise<Map<string, First>> => {
    const found = new Map<string, First>();
    for (let open = [...new Set(cells)], after = ""; open.length > 0; ) {
      const filter = `${isIn("cell_id", open)}${after === "" ? "" : ` and id > ${quote(after)}`}${and}`;
      const selection = { fields: OCCURRENCE_FIELDS, level: at };
      const rows = await tables.query<Row>(occurrences, filter, ROWS_AT_ONCE, selection);
      for (const row of rows) {
        const first = found.get(row.cell_id) ?? { rows: [], isAll: true };
        found.set(row.cell_id, first);
        first.rows.push(row);
      }
      if (rows.length < ROWS_AT_ONCE) break;
      // The rows come by cell, so that only the last one may have more.
      const { id, cell_id: last } = rows.at(-1)!;
      after = id;
      const isEnough = found.get(last)!.rows.length >= enough;
      found.get(last)!.isAll = !isEnough;
      open = open.filter((cell) => (isEnough ? cell > last : cell >= last));
    }
    return found;
  };

  const provenanceAt = async (
    generation: Generation,
    ids: readonly string[],
    exclude: Exclusion,
    at: Level,
  ): Promise<Map<string, Provenance>> => {
    const [firsts, under] = await Promise.all([
      firstOf(generation, ids, ROWS_AT_ONCE / 2, outsideFilter(exclude), at),
      journal.underWay(at),
    ]);
    const rows = [...firsts.values()].flatMap((first) => first.rows);
    const counting = new Set(await visibility.visible(generation, rows, under, at));
    const found = new Map<string, Provenance>();
    for (const [id, { rows, isAll }] of firsts) {
      const known = rows.filter((row) => counting.has(row));
      if (known.length === 0 && isAll) continue;
      const shown = known.filter((row) => !isExcluded(row, exclude));
      if (isAll) found.set(id, { count: shown.length, first: shown.length > 0 ? toOccurrence(shown[0]!) : null });
      else found.set(id, await provenanceOfMany(generation, id, exclude, under, at));
    }
    return found;
  };

  /** For a cell that stands in many notebooks: the server counts, and only what may not count is read. */
  const provenanceOfMany = async (
    generation: Generation,
    id: string,
    exclude: Exclusion,
    under: UnderWay,
    at: Level,
  ): Promise<Provenance> => {
    const filter = `cell_id == ${quote(id)}${exclusionFilter(exclude)}`;
    const doubtful = [...under.notebooks];
    const settled = doubtful.length === 0 ? filter : `${filter} and ${isNotIn("notebook", doubtful)}`;
    const unsettled =
      doubtful.length === 0 ? [] : await all(generation, `${filter} and ${isIn("notebook", doubtful)}`, at);
    const [count, counting, first] = await Promise.all([
      tables.count(generation.occurrences, settled, at),
      visibility.visible(generation, unsettled, under, at),
      firstCounting(generation, filter, under, at),
    ]);
    return { count: count + counting.length, first };
  };

  const firstCounting = async (generation: Generation, filter: string, under: UnderWay, at: Level) => {
    const selection = { fields: OCCURRENCE_FIELDS, level: at };
    for await (const page of tables.pages<Row>(generation.occurrences, filter, ROWS_AT_ONCE / 8, selection)) {
      const [first] = await visibility.visible(generation, page, under, at);
      if (first !== undefined) return toOccurrence(first);
    }
    return null;
  };

  const all = async ({ occurrences }: Generation, filter: string, at: Level): Promise<Row[]> => {
    const rows: Row[] = [];
    const selection = { fields: OCCURRENCE_FIELDS, level: at };
    for await (const page of tables.pages<Row>(occurrences, filter, WINDOW, selection)) rows.push(...page);
    return rows;
  };

  return {
    /** What a bounded read does not know may have been written a moment ago, and is asked for again. */
    async provenance(generation: Generation, ids: readonly string[], exclude: Exclusion = {}) {
      const found = await provenanceAt(generation, ids, exclude, "Bounded");
      const unknown = ids.filter((id) => !found.has(id));
      if (unknown.length === 0) return found;
      return new Map([...found, ...(await provenanceAt(generation, unknown, exclude, "Strong"))]);
    },

    async page(
      generation: Generation,
      id: string,
      { offset = 0, limit }: { readonly offset?: number; readonly limit: number },
    ): Promise<Occurrence[]> {
      const at = level();
      const under = await journal.underWay(at);
      const filter = `cell_id == ${quote(id)}`;
      const size = Math.max(1, Math.min(WINDOW, offset + limit));
      const selection = { fields: OCCURRENCE_FIELDS, level: at };
      const rows: Row[] = [];
      let skipped = 0;
      for await (const page of tables.pages<Row>(generation.occurrences, filter, size, selection)) {
        const counting = await visibility.visible(generation, page, under, at);
        const skip = Math.min(counting.length, offset - skipped);
        skipped += skip;
        rows.push(...counting.slice(skip));
        if (rows.length >= limit) break;
      }
      return rows.slice(0, limit).map(toOccurrence);
    },

    async followers(generation: Generation, ids: readonly string[], exclude: Exclusion = {}): Promise<NextCell[]> {
      const at = level();
      const { notebooks = [], occurrence } = exclude;
      const and = `${outsideFilter(exclude)} and next != ""${notebooks.length > 0 ? ` and ${isNotIn("notebook", notebooks)}` : ""}`;
      const [firsts, under] = await Promise.all([
        firstOf(generation, ids, 4 * MAX_NEXT_CELLS, and, at),
        journal.underWay(at),
      ]);
      const rows = [...firsts.values()].flatMap((first) => first.rows.slice(0, 4 * MAX_NEXT_CELLS));
      const counting = new Set(await visibility.visible(generation, rows, under, at));
      const pairs = [...firsts.values()].flatMap((first) =>
        first.rows.filter((row) => counting.has(row)).slice(0, MAX_NEXT_CELLS),
      );
      const told = pairs.filter(
        ({ notebook, next_index }) => notebook !== occurrence?.notebook || next_index !== occurrence.cellIndex,
      );
      const followers = told.map(({ cell_id, next }) => ({ before: cell_id, id: next }));
      return [...new Map(followers.map((each) => [`${each.before}/${each.id}`, each])).values()];
    },
  };
}

export type Occurrences = ReturnType<typeof createOccurrences>;

function isExcluded({ notebook, cell_index }: Row, { notebooks, occurrence }: Exclusion): boolean {
  if (notebooks?.includes(notebook)) return true;
  return occurrence !== undefined && occurrence.notebook === notebook && occurrence.cellIndex === cell_index;
}

/** Where no notebook can pass, nothing does. */
function outsideFilter({ outside }: Exclusion): string {
  const expression = notebookExpression(outside);
  return expression === "" ? "" : ` and ${expression ?? 'notebook == ""'}`;
}

function exclusionFilter(exclude: Exclusion): string {
  const { notebooks = [], occurrence } = exclude;
  const excluded = `${outsideFilter(exclude)}${notebooks.length > 0 ? ` and ${isNotIn("notebook", notebooks)}` : ""}`;
  if (occurrence === undefined) return excluded;
  const { notebook, cellIndex } = occurrence;
  return `${excluded} and (notebook != ${quote(notebook)} or cell_index != ${Math.trunc(cellIndex)})`;
}
