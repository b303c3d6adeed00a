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
import { createContents } from "./contents.js";
import { both, isIn, isNotIn, notebookExpression } from "./expression.js";
import type { Generation } from "./journal.js";
import {
  byPlace,
  type CellRow,
  compareText,
  groupBy,
  HEAD_FIELDS,
  type HeadRow,
  newestHeads,
  OCCURRENCE_FIELDS,
  type OccurrenceRow,
  REMOVED,
  TEXT_FIELDS,
  toNotebook,
  toOccurrence,
  toStoredCell,
} from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";

export interface ReadsDeps {
  readonly tables: Tables;
  /** Asked before each read that is not strong by contract. */
  readonly level: () => Level;
}

type Head = Omit<HeadRow, "anchor">;
type TextRow = Pick<CellRow, (typeof TEXT_FIELDS)[number]>;

const SCAN_ROWS = 1_024;
/** Rows whose next cells are read at once; a very frequent content must not crowd out the others. */
const FOLLOWED_ROWS = 512;
const POSITION_FIELDS = ["id", "notebook", "stamp", "cell_index", "content"] as const;

/** Cells, where they stand, notebooks and numbers. */
export function createReads({ tables, level }: ReadsDeps) {
  const contents = createContents(tables);

  /** What a bounded read does not know may have been written a moment ago, and is asked for again. */
  const twice = async <T>(
    ids: readonly string[],
    read: (some: readonly string[], at: Level) => Promise<Map<string, T>>,
  ) => {
    const found = await read(ids, "Bounded");
    const unknown = ids.filter((id) => !found.has(id));
    return unknown.length === 0 ? found : new Map([...found, ...(await read(unknown, "Strong"))]);
  };

  /** The heads of all notebooks that are there, by id. */
  async function* heads({ notebooks }: Generation, at: Level, size: number, from = ""): AsyncGenerator<Head[]> {
    const selection = { fields: HEAD_FIELDS, level: at };
    let held: Head[] = [];
    for await (const page of tables.pages<Head>(notebooks, "", size, selection, { from })) {
      // The heads of one notebook come one after another, perhaps on two pages.
      const all = [...held, ...page];
      const last = all.at(-1)!.notebook;
      held = all.filter(({ notebook }) => notebook === last);
      yield present(all.filter(({ notebook }) => notebook !== last));
    }
    yield present(held);
  }
  const present = (some: readonly Head[]) => [...newestHeads(some).values()].filter(({ cells }) => cells !== REMOVED);

  /** All rows of these contents that pass. */
  const occurrencesOf = async ({ cells }: Generation, ids: readonly string[], and: string, at: Level) => {
    const rows: OccurrenceRow[] = [];
    const selection = { fields: OCCURRENCE_FIELDS, level: at };
    for await (const page of tables.pages<OccurrenceRow>(cells, both(isIn("content", ids), and), 4_096, selection)) {
      rows.push(...page);
    }
    return rows;
  };

  const provenanceAt = async (generation: Generation, ids: readonly string[], exclude: Exclusion, at: Level) => {
    const outside = notebookExpression(exclude.outside);
    if (ids.length === 0) return new Map<string, Provenance>();
    const rows = await occurrencesOf(generation, ids, outside ?? NOTHING, at);
    return provenanceOf(rows, exclude);
  };

  const notebookAt = async (generation: Generation, ids: readonly string[]): Promise<Map<string, Notebook>> => {
    const strong = { level: "Strong" as const };
    const [found, rows] = await Promise.all([
      tables.among<Head>(generation.notebooks, "notebook", ids, { fields: HEAD_FIELDS, ...strong }),
      tables.among<CellRow>(generation.cells, "notebook", ids, { fields: POSITION_FIELDS, ...strong }, 256),
    ]);
    const byNotebook = groupBy(rows, ({ notebook }) => notebook);
    return new Map(
      present(found).map((head) => [head.notebook, toNotebook(head, byNotebook.get(head.notebook) ?? [])]),
    );
  };

  return {
    heads,

    async missing(generation: Generation, ids: readonly string[]): Promise<Set<string>> {
      const found = await contents.find(generation, ids, { fields: ["id", "content"], level: "Strong" });
      return new Set(ids.filter((id) => !found.has(id)));
    },

    /**
     * A notebook that a bounded read does not know counts as new, at worst for a second time. One that it knows may be gone
     * by now, and is asked for again: who believes that it is there writes nothing.
     */
    async versions({ notebooks }: Generation, ids: readonly string[]): Promise<Map<string, string>> {
      const read = (some: readonly string[], at: Level) =>
        tables.among<Head>(notebooks, "notebook", some, { fields: HEAD_FIELDS, level: at });
      const known = await read(ids, "Bounded");
      const found = await read(
        known.map(({ notebook }) => notebook),
        "Strong",
      );
      return new Map(present(found).map(({ notebook, version }) => [notebook, version]));
    },

    async cells(generation: Generation, ids: readonly string[]): Promise<StoredCell[]> {
      const rows = await twice(ids, (some, at) =>
        contents.find<TextRow>(generation, some, { fields: TEXT_FIELDS, level: at }),
      );
      return ids.flatMap((id) => (rows.has(id) ? [toStoredCell(rows.get(id)!)] : []));
    },

    async vectors(generation: Generation, ids: readonly string[]): Promise<Map<string, Float32Array>> {
      const rows = await twice(ids, (some, at) =>
        contents.find<Pick<CellRow, "id" | "content" | "vector">>(generation, some, {
          fields: ["id", "content", "vector"],
          level: at,
        }),
      );
      return new Map([...rows].map(([id, { vector }]) => [id, Float32Array.from(vector)]));
    },

    /** Each cell once, regardless of its copies. */
    async *scan({ cells }: Generation): AsyncGenerator<StoredCell[]> {
      const seen = new Set<string>();
      const selection = { fields: TEXT_FIELDS, level: "Bounded" as const };
      for await (const rows of tables.pages<TextRow>(cells, "", SCAN_ROWS, selection)) {
        const fresh = rows.filter(({ content }) => seen.size !== seen.add(content).size);
        if (fresh.length > 0) yield fresh.map(toStoredCell);
      }
    },

    provenance: (generation: Generation, ids: readonly string[], exclude: Exclusion = {}) =>
      twice(ids, (some, at) => provenanceAt(generation, some, exclude, at)),

    async occurrences(
      generation: Generation,
      id: string,
      { offset = 0, limit }: { readonly offset?: number; readonly limit: number },
    ): Promise<Occurrence[]> {
      const rows = await occurrencesOf(generation, [id], "", level());
      return rows
        .sort(byPlace)
        .slice(offset, offset + limit)
        .map(toOccurrence);
    },

    async nextCells({ cells }: Generation, ids: readonly string[], exclude: Exclusion = {}): Promise<NextCell[]> {
      const outside = notebookExpression(exclude.outside) ?? NOTHING;
      const without = exclude.notebooks?.length ? isNotIn("notebook", exclude.notebooks) : "";
      const and = both(both('next != ""', outside), without);
      const found: OccurrenceRow[] = [];
      const selection = { fields: OCCURRENCE_FIELDS, level: level() };
      for (let open = [...new Set(ids)]; open.length > 0; ) {
        const filter = both(isIn("content", open), and);
        const rows = await tables.query<OccurrenceRow>(cells, filter, FOLLOWED_ROWS, selection);
        found.push(...rows);
        // A content that fills the answer has enough; the others are asked for again without it.
        const counts = groupBy(rows, ({ content }) => content);
        open = rows.length < FOLLOWED_ROWS ? [] : open.filter((id) => (counts.get(id)?.length ?? 0) < MAX_NEXT_CELLS);
      }
      return nextCellsOf(found, exclude);
    },

    /** Asked for one by one and answered together: an export asks for hundreds at once, and each would be a strong read. */
    notebook: createLoader(notebookAt),

    async notebooks(
      generation: Generation,
      { after = "", limit }: { readonly after?: string; readonly limit: number },
    ): Promise<NotebookSummary[]> {
      const found: Head[] = [];
      // The key is the id, a slash and a stamp; the zero sorts right after the slash.
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

    /** Counted by the heads, so that leftovers of a killed process do not count. */
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
      type Slim = Pick<CellRow, "id" | "content" | "labels" | "notebook" | "stamp">;
      const selection = { fields: ["id", "content", "labels", "notebook", "stamp"] as const, level: at };
      for await (const rows of tables.pages<Slim>(generation.cells, "", WINDOW - 1, selection)) {
        for (const { content, labels: own, notebook, stamp } of rows) {
          if (seen.has(content) || stamps.get(notebook) !== stamp) continue;
          seen.add(content);
          for (const label of own) labels.set(label, (labels.get(label) ?? 0) + 1);
        }
      }
      return { cells: seen.size, notebooks: stamps.size, occurrences, labels: Object.fromEntries(labels) };
    },
  };
}

/** Where no notebook can pass, nothing does. */
const NOTHING = 'notebook == ""';

/** How many rows that are not excluded each content has, and the first of them. */
export function provenanceOf(rows: readonly OccurrenceRow[], exclude: Exclusion): Map<string, Provenance> {
  const found = new Map<string, Provenance>();
  for (const [content, copies] of groupBy(rows, (row) => row.content)) {
    const shown = copies.filter((row) => !isExcluded(row, exclude)).sort(byPlace);
    found.set(content, { count: shown.length, first: shown.length > 0 ? toOccurrence(shown[0]!) : null });
  }
  return found;
}

/** The cells that follow rows that are not excluded; for each content, only a few. */
export function nextCellsOf(rows: readonly OccurrenceRow[], { notebooks, occurrence }: Exclusion): NextCell[] {
  const pairs = new Map<string, NextCell>();
  for (const copies of groupBy(rows, ({ content }) => content).values()) {
    const own = ({ notebook, next_index }: OccurrenceRow) =>
      notebook === occurrence?.notebook && next_index === occurrence.cellIndex;
    const looked = copies.filter((row) => row.next !== "" && !notebooks?.includes(row.notebook) && !own(row));
    for (const { content, next } of looked.sort(byPlace).slice(0, MAX_NEXT_CELLS)) {
      pairs.set(`${content}/${next}`, { before: content, id: next });
    }
  }
  return [...pairs.values()];
}

function isExcluded({ notebook, cell_index, source, votes }: OccurrenceRow, exclude: Exclusion): boolean {
  const { notebooks, occurrence, outside } = exclude;
  if (notebooks?.includes(notebook)) return true;
  if (outside?.sources?.includes(source) === false || votes < (outside?.minVotes ?? 0)) return true;
  return occurrence !== undefined && occurrence.notebook === notebook && occurrence.cellIndex === cell_index;
}

/** One read for all who ask in the same turn. */
function createLoader<T>(load: (generation: Generation, ids: readonly string[]) => Promise<Map<string, T>>) {
  let waiting: { readonly ids: string[]; readonly answer: Promise<Map<string, T>> } | null = null;
  return async (generation: Generation, id: string): Promise<T | null> => {
    if (waiting === null) {
      const ids: string[] = [];
      const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        waiting = null;
        return load(generation, ids);
      });
      waiting = { ids, answer };
    }
    waiting.ids.push(id);
    return (await waiting.answer).get(id) ?? null;
  };
}
