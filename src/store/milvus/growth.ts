import type { Collector } from "./collector.js";
import { isIn } from "./expression.js";
import type { Generation, Generations } from "./generations.js";
import type { Lease } from "./lease.js";
import { CELL_FIELDS, type CellRow, toWords } from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

export interface GrowthProgress {
  readonly done: number;
  readonly total: number;
}

const CELLS_AT_ONCE = 512;
const FIELDS = [...CELL_FIELDS, "made", "vector"] as const;

/**
 * The same cells with a graph for an index: beyond some size, a scan of all cells takes too long. The cells are copied while
 * others write; writers wait only while what came meanwhile is copied, too, and the index is switched over. Where the server
 * has no graph, the old one stays.
 */
export function createGrowth(tables: Tables, generations: Generations, collector: Collector) {
  return async (
    old: Generation,
    lease: Lease,
    onProgress: (progress: GrowthProgress) => void = () => {},
  ): Promise<Generation> => {
    const next = await generations.create(old.identity, false, old.occurrences);
    if (next.exact) {
      await generations.drop([next.cells]);
      return old;
    }
    try {
      const total = await tables.count(old.cells, "", "Bounded");
      let done = 0;
      // A strong read would wait for the server's clock on every page; what a bounded one saw too late is put right below.
      const selection = { fields: FIELDS, level: "Bounded" } as const;
      for await (const rows of tables.pages<CellRow>(old.cells, "", CELLS_AT_ONCE, selection)) {
        await tables.insert(next.cells, toRows(rows, next));
        done += rows.length;
        onProgress({ done: Math.min(done, total), total });
      }
      await lease.stopWriters((dead) => collector.retire(old, dead));
      await catchUp(old, next);
      await tables.count(next.cells, "", "Strong");
      lease.assertAlive();
      await generations.publish(next);
    } catch (error) {
      await generations.drop([next.cells]);
      throw error;
    }
    return next;
  };

  /** Copies what came since, and removes what has gone. The collector, which alone removes cells, needs the lease that is held here. */
  async function catchUp(old: Generation, next: Generation): Promise<void> {
    const copied = await idsOf(next.cells);
    const kept = await idsOf(old.cells);
    const late = [...kept].filter((id) => !copied.has(id));
    for (let from = 0; from < late.length; from += CELLS_AT_ONCE) {
      const filter = isIn("id", late.slice(from, from + CELLS_AT_ONCE));
      const rows = await tables.query<CellRow>(old.cells, filter, CELLS_AT_ONCE, { fields: FIELDS, level: "Strong" });
      await tables.insert(next.cells, toRows(rows, next));
    }
    await tables.remove(
      next.cells,
      [...copied].filter((id) => !kept.has(id)),
    );
  }

  async function idsOf(name: string): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const rows of tables.pages<Pick<CellRow, "id">>(name, "", WINDOW, { fields: ["id"], level: "Strong" })) {
      for (const { id } of rows) ids.add(id);
    }
    return ids;
  }
}

/** With nothing in them that only the client added. */
function toRows(rows: readonly CellRow[], { words }: Generation) {
  return rows.map(({ id, primary, labels, clean, code, made, vector }) => {
    const row = { id, primary, labels: [...labels], clean, code, made, vector: [...vector] };
    return words ? { ...row, words: toWords(code) } : row;
  });
}
