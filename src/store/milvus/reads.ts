import {
  type Counts,
  type Exclusion,
  type Follower,
  MOST_FOLLOWED,
  type Notebook,
  type NotebookSummary,
  type Occurrence,
  type Provenance,
  type StoredCell,
} from "../vector-store.js";
import { quote } from "./expression.js";
import type { Generation } from "./generations.js";
import {
  CELL_FIELDS,
  type CellRow,
  HEAD_FIELDS,
  HEAD_INDEX,
  type HeadRow,
  headId,
  PLACE_FIELDS,
  type PlaceRow,
  toNotebook,
  toOccurrence,
  toStoredCell,
} from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";

const IDS_AT_ONCE = 4_096;
const IS_HEAD = `cell_index == ${HEAD_INDEX}`;

/** The reads of a store; `level` is asked before each of those that are not strong by contract. */
export function createReads(tables: Tables, level: () => Level) {
  return {
    /** The labels of those of these cells that are stored. */
    async labels({ cells }: Generation, ids: readonly string[]): Promise<Map<string, readonly string[]>> {
      const selection = { fields: ["id", "labels"] as const, level: "Strong" as const };
      const found = await tables.among<Pick<CellRow, "id" | "labels">>(cells, "id", ids, IDS_AT_ONCE, selection);
      return new Map(found.map(({ id, labels }) => [id, [...labels]]));
    },

    /** Heads of writes that did not come to their end have no version. */
    async versions({ occurrences }: Generation, ids: readonly string[]): Promise<Map<string, string>> {
      const selection = { fields: HEAD_FIELDS, level: "Strong" as const };
      const heads = await tables.among<HeadRow>(occurrences, "id", ids.map(headId), IDS_AT_ONCE, selection);
      return new Map(heads.map(({ notebook, version, complete }) => [notebook, complete ? version : ""]));
    },

    async cells({ cells }: Generation, ids: readonly string[]): Promise<StoredCell[]> {
      const rows = await tables.byId<CellRow>(cells, ids, CELL_FIELDS);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => (found.has(id) ? [toStoredCell(found.get(id)!)] : []));
    },

    async vectors({ cells }: Generation, ids: readonly string[]): Promise<Map<string, Float32Array>> {
      const rows = await tables.byId<Pick<CellRow, "id" | "vector">>(cells, ids, ["id", "vector"]);
      return new Map(rows.map(({ id, vector }) => [id, Float32Array.from(vector)]));
    },

    async provenance(
      { occurrences }: Generation,
      ids: readonly string[],
      exclude: Exclusion = {},
    ): Promise<Map<string, Provenance>> {
      const read = (some: readonly string[], at: Level) => places(occurrences, some, at);
      const rows = await read(ids, "Bounded");
      const known = new Set(rows.map(({ cell_id }) => cell_id));
      const late = await read(
        ids.filter((id) => !known.has(id)),
        "Strong",
      );
      const found = new Map<string, Provenance>();
      for (const row of [...rows, ...late].sort(byPlace)) {
        const { cell_id } = row;
        const { count, first } = found.get(cell_id) ?? { count: 0, first: null };
        const place = toOccurrence(row);
        if (isExcluded(place, exclude)) found.set(cell_id, { count, first });
        else found.set(cell_id, { count: count + 1, first: first ?? place });
      }
      return found;
    },

    async occurrences(
      { occurrences }: Generation,
      id: string,
      { offset = 0, limit }: { readonly offset?: number; readonly limit: number },
    ): Promise<Occurrence[]> {
      const rows = await places(occurrences, [id], level());
      return rows
        .sort(byPlace)
        .slice(offset, offset + limit)
        .map(toOccurrence);
    },

    async followers({ occurrences }: Generation, ids: readonly string[], exclude: Exclusion = {}): Promise<Follower[]> {
      const starts = firstOfEach(
        (await places(occurrences, ids, level())).filter(({ notebook }) => !exclude.notebooks?.includes(notebook)),
      );
      const held = starts.map(({ notebook }) => notebook);
      const selection = { fields: PLACE_FIELDS, level: level() };
      const rows = await tables.among<PlaceRow>(occurrences, "notebook", held, IDS_AT_ONCE, selection);
      rows.sort(byPlace);
      const pairs = starts.flatMap(({ cell_id, notebook, version, cell_index }): [string, Follower][] => {
        const next = rows.find(
          (row) => row.notebook === notebook && row.version === version && row.cell_index > cell_index,
        );
        if (next === undefined || isExcluded(toOccurrence(next), exclude)) return [];
        return [[`${cell_id}/${next.cell_id}`, { before: cell_id, id: next.cell_id }]];
      });
      return [...new Map(pairs).values()];
    },

    async notebook({ occurrences }: Generation, id: string): Promise<Notebook | null> {
      const selection = { fields: HEAD_FIELDS, level: "Strong" as const };
      const rows = await tables.among<HeadRow>(occurrences, "notebook", [id], 1, selection);
      const head = rows.find(({ cell_index }) => cell_index === HEAD_INDEX);
      return head === undefined ? null : toNotebook(head, rows);
    },

    async notebooks(
      { occurrences }: Generation,
      { after = "", limit }: { readonly after?: string; readonly limit: number },
    ): Promise<NotebookSummary[]> {
      const filter = `${IS_HEAD} and notebook > ${quote(after)}`;
      const selection = { fields: HEAD_FIELDS, level: level() };
      const rows = await tables.query<HeadRow>(occurrences, filter, Math.min(limit, WINDOW), selection);
      return rows.map(({ notebook, source, name, cells, skipped }) => ({ id: notebook, source, name, cells, skipped }));
    },

    async counts({ cells, occurrences, identity }: Generation): Promise<Counts> {
      const at = level();
      const labelled = identity.labels.map(async (label) => {
        const count = await tables.count(cells, `array_contains(labels, ${quote(label)})`, at);
        return [label, count] as const;
      });
      const [all, heads, rows, labels] = await Promise.all([
        tables.count(cells, "", at),
        tables.count(occurrences, IS_HEAD, at),
        tables.count(occurrences, `cell_index != ${HEAD_INDEX}`, at),
        Promise.all(labelled),
      ]);
      return { cells: all, notebooks: heads, occurrences: rows, labels: Object.fromEntries(labels) };
    },
  };

  async function places(occurrences: string, cells: readonly string[], at: Level): Promise<PlaceRow[]> {
    const selection = { fields: PLACE_FIELDS, level: at };
    const rows = await tables.among<PlaceRow>(occurrences, "cell_id", cells, IDS_AT_ONCE, selection);
    // While a notebook is replaced, a cell that stays where it was has a row for each of the two versions.
    return [...new Map(rows.map((row) => [`${row.cell_id}/${row.notebook}/${row.cell_index}`, row])).values()];
  }
}

/** Of each cell the first few places. */
function firstOfEach(rows: PlaceRow[]): PlaceRow[] {
  const taken = new Map<string, number>();
  return rows.sort(byPlace).filter(({ cell_id }) => {
    const count = taken.get(cell_id) ?? 0;
    taken.set(cell_id, count + 1);
    return count < MOST_FOLLOWED;
  });
}

function byPlace(a: PlaceRow, b: PlaceRow): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.cell_index - b.cell_index;
}

function isExcluded({ notebook, cellIndex }: Occurrence, { notebooks, occurrence }: Exclusion): boolean {
  if (notebooks?.includes(notebook)) return true;
  return occurrence !== undefined && occurrence.notebook === notebook && occurrence.cellIndex === cellIndex;
}
