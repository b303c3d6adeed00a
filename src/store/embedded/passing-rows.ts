import { setImmediate as nextTurn } from "node:timers/promises";
import type { NotebookFilter } from "../vector-store.js";
import type { CellTable, Passes } from "./cell-table.js";
import type { Database } from "./database.js";
import type { State } from "./state.js";

/** A set of cell rows, as bits. */
interface RowSet {
  has(row: number): boolean;
  rows(): Iterable<number>;
}

/** Notebooks per slice. A slice takes some milliseconds, and other work can run in between. */
const NOTEBOOKS_AT_ONCE = 1_000;
/** Number of cached filters, because clients repeat the same one. */
const MAX_CACHED_FILTERS = 8;

/** Finds the rows of cells that occur in a passing notebook. Recomputed after every change of the index. */
export function createPassingRows(database: Database, state: State) {
  const notebooks = database
    .prepare(`select n.row from notebooks n where n.row > ? and ${PASSES} order by n.row limit ${NOTEBOOKS_AT_ONCE}`)
    .raw();
  // Returned as one JSON text, because returning a million small rows takes longer than finding them.
  const cellsOf = database
    .prepare<[string]>(
      "select json_group_array(p.cell) from json_each(?) j cross join positions p on p.notebook = j.value",
    )
    .raw();
  const known = new Map<string, { readonly commits: number; readonly rows: Promise<RowSet> }>();

  const find = async (filter: NotebookFilter): Promise<RowSet> => {
    const set = createRowSet();
    for (let last = 0; ; ) {
      const page = (notebooks.all(last, ...filterParameters(filter)) as [number][]).map(([row]) => row);
      const [cells] = cellsOf.get(JSON.stringify(page)) as [string];
      for (const row of JSON.parse(cells) as number[]) set.add(row);
      if (page.length < NOTEBOOKS_AT_ONCE) return set;
      last = page.at(-1)!;
      await nextTurn();
    }
  };

  return (filter: NotebookFilter): Promise<RowSet> => {
    const { commits } = state.read()!;
    const key = JSON.stringify(filterParameters(filter));
    const before = known.get(key);
    known.delete(key);
    const rows = before?.commits === commits ? before.rows : find(filter);
    rows.catch(() => known.delete(key));
    known.set(key, { commits, rows });
    for (const old of known.keys()) {
      if (known.size <= MAX_CACHED_FILTERS) break;
      known.delete(old);
    }
    return rows;
  };
}

/** A view of the table with only these rows, for one search. */
export function restrict(table: CellTable, rows: RowSet): CellTable {
  const counts = new Map<Passes, number>();
  const count = (passes: Passes) => {
    let found = 0;
    for (const row of rows.rows()) {
      const slot = table.slotOf(row);
      if (slot !== -1 && table.accepts(slot, passes)) found += 1;
    }
    return found;
  };
  return {
    ...table,
    accepts: (slot, passes) => rows.has(table.rowOf(slot)) && table.accepts(slot, passes),
    count(passes) {
      const known = counts.get(passes) ?? count(passes);
      counts.set(passes, known);
      return known;
    },
  };
}

function createRowSet() {
  let bits = new Uint32Array(1_024);
  return {
    add(row: number): void {
      const word = row >>> 5;
      if (word >= bits.length) {
        const larger = new Uint32Array(2 * word);
        larger.set(bits);
        bits = larger;
      }
      bits[word]! |= 1 << (row & 31);
    },
    has: (row: number): boolean => ((bits[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0,
    *rows(): Generator<number> {
      for (const [word, held] of bits.entries())
        for (let left = held; left !== 0; left &= left - 1) yield 32 * word + (31 - Math.clz32(left & -left));
    },
  };
}

/** A condition on a notebook `n`; its parameters come from `filterParameters`. Absent conditions are not evaluated. */
export const PASSES = `(? is null or n.source in (select cast(value as blob) from json_each(?)))
  and (? = 0 or coalesce(json_extract(cast(n.facts as text), '$.votes'), 0) >= ?)`;

export type FilterParameters = [string | null, string | null, number, number];

export function filterParameters({ sources, minVotes = 0 }: NotebookFilter = {}): FilterParameters {
  const list = sources === undefined ? null : JSON.stringify(sources.map((source) => source.toWellFormed()));
  return [list, list, minVotes, minVotes];
}
