import {
  type Counts,
  type Exclusion,
  MAX_NEXT_CELLS,
  type NextCell,
  type Notebook,
  type NotebookSummary,
  type Occurrence,
  type Provenance,
  type SourceSummary,
  type StoredCell,
} from "../vector-store.js";
import { both, isIn, isNotIn, notebookExpression } from "./expression.js";
import type { Generation } from "./journal.js";
import {
  ABOUT,
  type About,
  byPlace,
  type CellRow,
  compareText,
  type Fields,
  type FoundRow,
  groupBy,
  HEAD,
  type Head,
  newestHeads,
  REMOVED,
  TEXT,
  toFound,
  toNotebook,
  toOccurrence,
  toStoredCell,
} from "./rows.js";
import { createBatcher, type Level, type Tables, WINDOW } from "./tables.js";

interface ReadsDeps {
  readonly tables: Tables;
  /** Called before each read below strong consistency. */
  readonly level: () => Level;
}

const SCAN_ROWS = 1_024;
/** Number of rows whose next cells are read per query, so that a very frequent content does not use up the limit. */
const FOLLOWED_ROWS = 512;
/** Cells per page; 256 cells of maximum size are 30 MB. */
const CONTENTS_AT_ONCE = 256;
const COPIES_AT_ONCE = 512;
/** Contents per query that reads no code. Strong reads take as long for many contents as for one. */
const PLACES_AT_ONCE = 2_048;

/** Reads cells, positions, notebooks and counts. */
export function createReads({ tables, level }: ReadsDeps) {
  const find = (generation: Generation, ids: readonly string[], fields: Fields<CellRow>) =>
    findContents(tables, generation, ids, fields, level());

  /** The heads of all existing notebooks, by id. */
  async function* heads({ notebooks }: Generation, at: Level, size: number, from = ""): AsyncGenerator<Head[]> {
    const selection = { fields: HEAD, level: at };
    let held: Head[] = [];
    for await (const page of tables.pages<Head>(notebooks, "", size, selection, { from })) {
      // The heads of one notebook are adjacent, possibly on two pages.
      const all = [...held, ...page];
      const last = all.at(-1)!.notebook;
      held = all.filter(({ notebook }) => notebook === last);
      yield present(all.filter(({ notebook }) => notebook !== last));
    }
    yield present(held);
  }
  const present = (some: readonly Head[]) => [...newestHeads(some).values()].filter(({ cells }) => cells !== REMOVED);

  /** All rows of these contents that pass the filter. */
  const occurrencesOf = async ({ cells }: Generation, ids: readonly string[], and: string): Promise<FoundRow[]> => {
    if (ids.length === 0) return [];
    const filter = both(isIn("content", ids), and);
    const rows: FoundRow[] = [];
    for await (const page of tables.pages<CellRow>(cells, filter, 4_096, { fields: ABOUT, level: level() })) {
      rows.push(...page.map(toFound));
    }
    return rows;
  };

  const notebookAt = async (generation: Generation, ids: readonly string[]): Promise<Map<string, Notebook>> => {
    const level = "Strong" as const;
    const [found, rows] = await Promise.all([
      tables.among<Head>(generation.notebooks, "notebook", ids, { fields: HEAD, level }),
      tables.among<CellRow>(generation.cells, "notebook", ids, { fields: ABOUT, level }, 256),
    ]);
    const byNotebook = groupBy(rows.map(toFound), ({ notebook }) => notebook);
    return new Map(
      present(found).map((head) => [head.notebook, toNotebook(head, byNotebook.get(head.notebook) ?? [])]),
    );
  };

  return {
    heads,

    find,

    async missing(generation: Generation, ids: readonly string[]): Promise<Set<string>> {
      const found = await findContents(tables, generation, ids, ABOUT, "Strong");
      return new Set(ids.filter((id) => !found.has(id)));
    },

    /** A strong read, because a writer skips notebooks that are already stored. */
    async versions({ notebooks }: Generation, ids: readonly string[]): Promise<Map<string, string>> {
      const found = await tables.among<Head>(notebooks, "notebook", ids, { fields: HEAD, level: "Strong" });
      return new Map(present(found).map(({ notebook, version }) => [notebook, version]));
    },

    async cells(generation: Generation, ids: readonly string[]): Promise<StoredCell[]> {
      const rows = await find(generation, ids, TEXT);
      return ids.flatMap((id) => (rows.has(id) ? [toStoredCell(rows.get(id)!)] : []));
    },

    async vectors(generation: Generation, ids: readonly string[]): Promise<Map<string, Float32Array>> {
      const rows = await find(generation, ids, [...ABOUT, "vector"]);
      return new Map([...rows].map(([id, { vector }]) => [id, Float32Array.from(vector)]));
    },

    /** Yields each cell once, regardless of its copies. */
    async *scan({ cells }: Generation): AsyncGenerator<StoredCell[]> {
      const seen = new Set<string>();
      for await (const rows of tables.pages<CellRow>(cells, "", SCAN_ROWS, { fields: TEXT, level: "Bounded" })) {
        const fresh = rows.map(toFound).filter(({ content }) => seen.size !== seen.add(content).size);
        if (fresh.length > 0) yield fresh.map(toStoredCell);
      }
    },

    async provenance(generation: Generation, ids: readonly string[], exclude: Exclusion = {}) {
      const outside = notebookExpression(exclude.outside) ?? NOTHING;
      return provenanceOf(await occurrencesOf(generation, ids, outside), exclude);
    },

    async occurrences(
      generation: Generation,
      id: string,
      { offset = 0, limit }: { readonly offset?: number; readonly limit: number },
    ): Promise<Occurrence[]> {
      const rows = await occurrencesOf(generation, [id], "");
      return rows
        .sort(byPlace)
        .slice(offset, offset + limit)
        .map(toOccurrence);
    },

    async nextCells({ cells }: Generation, ids: readonly string[], exclude: Exclusion = {}): Promise<NextCell[]> {
      const outside = notebookExpression(exclude.outside) ?? NOTHING;
      const without = exclude.notebooks?.length ? isNotIn("notebook", exclude.notebooks) : "";
      const found: FoundRow[] = [];
      for (let open = [...new Set(ids)]; open.length > 0; ) {
        const filter = both(isIn("content", open), both(outside, without));
        const rows = await tables.query<CellRow>(cells, filter, FOLLOWED_ROWS, { fields: ABOUT, level: level() });
        found.push(...rows.map(toFound));
        // A content that fills the answer has enough rows; the remaining contents are requested again.
        const counts = groupBy(rows.map(toFound), ({ content }) => content);
        open = rows.length < FOLLOWED_ROWS ? [] : open.filter((id) => (counts.get(id)?.length ?? 0) < MAX_NEXT_CELLS);
      }
      return nextCellsOf(found, exclude);
    },

    /** Batches requests: an export requests hundreds of notebooks at once, and each would be a strong read. */
    notebook: createBatcher((asked: readonly { generation: Generation; id: string }[]) => {
      const found = notebookAt(
        asked[0]!.generation,
        asked.map(({ id }) => id),
      );
      return asked.map(async ({ id }) => (await found).get(id) ?? null);
    }),

    async notebooks(
      generation: Generation,
      { after = "", limit }: { readonly after?: string; readonly limit: number },
    ): Promise<NotebookSummary[]> {
      const found: Head[] = [];
      // The key is the id, a slash and a stamp; the character "0" sorts right after the slash.
      const from = after === "" ? "" : `${after}0`;
      for await (const page of heads(generation, level(), Math.min(limit + 16, WINDOW - 1), from)) {
        found.push(...page);
        if (found.length >= limit) break;
      }
      return found
        .slice(0, limit)
        .map(({ notebook, source, name, cells, skipped }) => ({ id: notebook, source, name, cells, skipped }));
    },

    /** Milvus cannot group, so the heads are read. */
    async sources(generation: Generation): Promise<SourceSummary[]> {
      const found = new Map<string, SourceSummary>();
      for await (const page of heads(generation, level(), WINDOW - 1)) {
        for (const { source, cells, skipped } of page) {
          const sum = found.get(source) ?? { source, notebooks: 0, cells: 0, skipped: 0 };
          const notebooks = sum.notebooks + 1;
          found.set(source, { source, notebooks, cells: sum.cells + cells, skipped: sum.skipped + skipped });
        }
      }
      return [...found.values()].sort((one, other) => compareText(one.source, other.source));
    },

    /** Counted by heads, so leftover rows of a killed process do not count. */
    async counts(generation: Generation): Promise<Counts> {
      const at = level();
      const stamps = new Map<string, string>();
      let occurrences = 0;
      for await (const page of heads(generation, at, WINDOW - 1)) {
        for (const { notebook, stamp, cells } of page) {
          stamps.set(notebook, stamp);
          occurrences += cells;
        }
      }
      const labels = new Map(generation.identity.labels.map((label) => [label, 0]));
      const seen = new Set<string>();
      for await (const rows of tables.pages<CellRow>(generation.cells, "", WINDOW - 1, { fields: ABOUT, level: at })) {
        for (const { content, labels: own, notebook, stamp } of rows.map(toFound)) {
          if (seen.has(content) || stamps.get(notebook) !== stamp) continue;
          seen.add(content);
          for (const label of own) labels.set(label, (labels.get(label) ?? 0) + 1);
        }
      }
      return { cells: seen.size, notebooks: stamps.size, occurrences, labels: Object.fromEntries(labels) };
    },
  };
}

/** The filter if no notebook can pass: it matches nothing. */
const NOTHING = 'notebook == ""';

/**
 * Yields one row of each stored content. Most contents have a row marked as the first copy. For the rest, copies are
 * read in pages until each content was seen.
 */
async function findContents(
  tables: Tables,
  generation: Generation,
  ids: readonly string[],
  fields: Fields<CellRow>,
  level: Level,
): Promise<Map<string, FoundRow>> {
  const asked = [...new Set(ids)];
  const found = await findFirstCopies(tables, generation, asked, fields, level);
  // Bounded reads suffice here, because they see all rows that the strong read above saw. In a new corpus most ids are
  // new, so this saves waiting.
  const selection = { fields, level: "Bounded" as const };
  for (let open = asked.filter((id) => !found.has(id)); open.length > 0; ) {
    const some = open.slice(0, CONTENTS_AT_ONCE);
    const filter = isIn("content", some);
    const rows = await tables.query<CellRow>(generation.cells, filter, COPIES_AT_ONCE, selection);
    for (const row of rows.map(toFound)) found.set(row.content, row);
    const isAll = rows.length < COPIES_AT_ONCE;
    open = open.filter((id) => !found.has(id) && !(isAll && some.includes(id)));
  }
  return found;
}

/** Contents whose first copy belongs to a removed notebook are left out. */
export async function findFirstCopies(
  tables: Tables,
  { cells }: Generation,
  ids: readonly string[],
  fields: Fields<CellRow>,
  level: Level,
): Promise<Map<string, FoundRow>> {
  const size = fields.includes("cell") ? CONTENTS_AT_ONCE : PLACES_AT_ONCE;
  const parts = Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => {
    const filter = `${isIn("content", ids.slice(part * size, (part + 1) * size))} and copy == 0`;
    // Concurrent writers may both have marked their copy as the first.
    return tables.query<CellRow>(cells, filter, 4 * size, { fields, level });
  });
  const rows = (await Promise.all(parts)).flat().map((row) => toFound(row));
  return new Map(rows.map((row) => [row.content, row]));
}

/** For each content, the number of rows that are not excluded, and the first of them. */
export function provenanceOf(rows: readonly About[], exclude: Exclusion): Map<string, Provenance> {
  const found = new Map<string, Provenance>();
  for (const [content, copies] of groupBy(rows, (row) => row.content)) {
    const shown = copies.filter((row) => !isExcluded(row, exclude)).sort(byPlace);
    found.set(content, { count: shown.length, first: shown.length > 0 ? toOccurrence(shown[0]!) : null });
  }
  return found;
}

/** The next cells of rows that are not excluded; only a few for each content. */
export function nextCellsOf(rows: readonly About[], { notebooks, occurrence }: Exclusion): NextCell[] {
  const pairs = new Map<string, NextCell>();
  for (const copies of groupBy(rows, ({ content }) => content).values()) {
    const own = ({ notebook, next }: About) =>
      notebook === occurrence?.notebook && next?.cellIndex === occurrence.cellIndex;
    const looked = copies.filter((row) => row.next !== null && !notebooks?.includes(row.notebook) && !own(row));
    for (const { content, next } of looked.sort(byPlace).slice(0, MAX_NEXT_CELLS)) {
      pairs.set(`${content}/${next!.id}`, { before: content, id: next!.id });
    }
  }
  return [...pairs.values()];
}

function isExcluded({ notebook, cellIndex, source, votes }: About, exclude: Exclusion): boolean {
  const { notebooks, occurrence, outside } = exclude;
  if (notebooks?.includes(notebook)) return true;
  if (outside?.sources?.includes(source) === false || votes < (outside?.minVotes ?? 0)) return true;
  return occurrence !== undefined && occurrence.notebook === notebook && occurrence.cellIndex === cellIndex;
}
