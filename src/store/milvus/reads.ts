import type { Counts, Notebook, NotebookSummary, SourceSummary, StoredCell } from "../vector-store.js";
import type { CellCache } from "./cell-cache.js";
import { quote } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Journal } from "./journal.js";
import {
  CELL_FIELDS,
  type CellRow,
  HEAD_FIELDS,
  HEAD_INDEX,
  type HeadRow,
  headId,
  toNotebook,
  toStoredCell,
} from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";
import type { Visibility } from "./visibility.js";

export interface ReadsDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly visibility: Visibility;
  readonly cache: CellCache;
  /** Asked before each read that is not strong by contract. */
  readonly level: () => Level;
}

const IDS_AT_ONCE = 4_096;
const IS_HEAD = `cell_index == ${HEAD_INDEX}`;

/** Cells, notebooks and numbers. */
export function createReads({ tables, journal, visibility, cache, level }: ReadsDeps) {
  return {
    /** A cell that lost its last occurrence is missing, though its row may still be there. */
    async missing(generation: Generation, ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const selection = { fields: ["id"] as const, level: "Strong" as const };
      const [found, { doubted }] = await Promise.all([
        tables.among<Pick<CellRow, "id">>(generation.cells, "id", ids, IDS_AT_ONCE, selection),
        journal.underWay("Strong"),
      ]);
      const known = new Set(found.map(({ id }) => id));
      const doubtful = ids.filter((id) => known.has(id) && doubted.has(id));
      for (const [id, holding] of await visibility.holdings(generation, doubtful, "Strong")) {
        if (holding !== "visible") known.delete(id);
      }
      return new Set(ids.filter((id) => !known.has(id)));
    },

    /**
     * A notebook that a bounded read does not know counts as new, at worst for a second time. One that it knows may be gone
     * by now, and is asked for again: who believes that it is there writes nothing.
     */
    async versions({ occurrences }: Generation, ids: readonly string[]): Promise<Map<string, string>> {
      const read = (some: readonly string[], at: Level) =>
        tables.among<HeadRow>(occurrences, "id", some.map(headId), IDS_AT_ONCE, { fields: HEAD_FIELDS, level: at });
      const known = await read(ids, "Bounded");
      const heads = await read(
        known.map(({ notebook }) => notebook),
        "Strong",
      );
      return new Map(heads.map(({ notebook, version }) => [notebook, version]));
    },

    async cells({ cells }: Generation, ids: readonly string[]): Promise<StoredCell[]> {
      const known = cache.cells(cells, ids);
      const unknown = ids.filter((id) => !known.has(id));
      const rows = unknown.length === 0 ? [] : await tables.byId<CellRow>(cells, unknown, CELL_FIELDS);
      for (const row of rows) {
        const cell = toStoredCell(row);
        cache.putCell(cells, cell);
        known.set(row.id, cell);
      }
      return ids.flatMap((id) => (known.has(id) ? [copyOf(known.get(id)!)] : []));
    },

    async vectors({ cells }: Generation, ids: readonly string[]): Promise<Map<string, Float32Array>> {
      const found = cache.vectors(cells, ids);
      const unknown = ids.filter((id) => !found.has(id));
      if (unknown.length === 0) return found;
      const rows = await tables.byId<Pick<CellRow, "id" | "vector">>(cells, unknown, ["id", "vector"]);
      for (const { id, vector } of rows) found.set(id, Float32Array.from(vector));
      return found;
    },

    async notebook(generation: Generation, id: string): Promise<Notebook | null> {
      const selection = { fields: HEAD_FIELDS, level: "Strong" as const };
      const rows = await tables.among<HeadRow>(generation.occurrences, "notebook", [id], 1, selection);
      const head = rows.find(({ cell_index }) => cell_index === HEAD_INDEX);
      return head === undefined ? null : toNotebook(head, rows);
    },

    async notebooks(
      { occurrences }: Generation,
      { after = "", limit }: { readonly after?: string; readonly limit: number },
    ): Promise<NotebookSummary[]> {
      const filter = `${IS_HEAD} and id > ${quote(headId(after))}`;
      const selection = { fields: HEAD_FIELDS, level: level() };
      const rows = await tables.query<HeadRow>(occurrences, filter, Math.min(limit, WINDOW), selection);
      return rows.map(({ notebook, source, name, cells, skipped }) => ({ id: notebook, source, name, cells, skipped }));
    },

    /** Milvus cannot group, so the heads are read; only what is told of them. */
    async sources({ occurrences }: Generation): Promise<SourceSummary[]> {
      const found = new Map<string, SourceSummary>();
      const selection = { fields: ["id", "source", "cells", "skipped"] as const, level: level() };
      for await (const page of tables.pages<HeadRow>(occurrences, IS_HEAD, WINDOW, selection)) {
        for (const { source, cells, skipped } of page) {
          const sum = found.get(source) ?? { source, notebooks: 0, cells: 0, skipped: 0 };
          const notebooks = sum.notebooks + 1;
          found.set(source, { source, notebooks, cells: sum.cells + cells, skipped: sum.skipped + skipped });
        }
      }
      return [...found.values()].sort((one, other) =>
        Buffer.compare(Buffer.from(one.source), Buffer.from(other.source)),
      );
    },

    /** Strong, so that nothing is forgotten that was acknowledged. */
    async idsOf({ occurrences }: Generation, source: string): Promise<string[]> {
      const filter = `${IS_HEAD} and source == ${quote(source)}`;
      const selection = { fields: ["id", "notebook"] as const, level: "Strong" as const };
      const ids: string[] = [];
      for await (const page of tables.pages<HeadRow>(occurrences, filter, WINDOW, selection))
        ids.push(...page.map(({ notebook }) => notebook));
      return ids;
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
}

/** What is kept is never handed out. */
const copyOf = (cell: StoredCell): StoredCell => ({ ...cell, labels: [...cell.labels] });
