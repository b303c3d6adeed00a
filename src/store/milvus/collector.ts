import type { Generation } from "./generations.js";
import type { Journal, JournalRow } from "./journal.js";
import type { Lease } from "./lease.js";
import type { Mortality } from "./pulse.js";
import type { Tables } from "./tables.js";
import type { Tidy } from "./tidy.js";
import type { Trash } from "./trash.js";
import type { Visibility } from "./visibility.js";

export interface CollectorDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly visibility: Visibility;
  readonly mortality: Mortality;
  readonly tidy: Tidy;
  readonly trash: Trash;
}

const CELLS_AT_ONCE = 2_048;

export type Collector = ReturnType<typeof createCollector>;

/** Removes the cells that nothing holds any more. Why that loses none is told in writes.ts, where its steps are named. */
export function createCollector({ tables, journal, visibility, mortality, tidy, trash }: CollectorDeps) {
  /** Ends the writes of processes that died. */
  const retire = async (generation: Generation, dead: readonly JournalRow[]) => {
    for (const { owner, about } of dead) await tidy.end(generation, owner, JSON.parse(about) as string[]);
  };

  /** Looks again, (d), puts back what is held after all, (e), and empties the trash, (f). Also for a collector that died. */
  const settleTrash = async (generation: Generation, lease: Lease): Promise<Set<string>> => {
    const restored = new Set<string>();
    for await (const rows of trash.rows()) {
      const holdings = await visibility.holdings(
        generation,
        rows.map(({ cell_id }) => cell_id),
        "Strong",
      );
      const held = rows.filter(({ cell_id }) => holdings.get(cell_id) !== "free");
      lease.assertAlive();
      await trash.restore(generation, held);
      await journal.forget(rows);
      for (const { cell_id } of held) restored.add(cell_id);
    }
    return restored;
  };

  const removeFree = async (generation: Generation, lease: Lease, cells: readonly string[]) => {
    await trash.fill(generation, lease.owner, cells);
    lease.assertAlive();
    lease.isUnsure = true;
    await tables.remove(generation.cells, cells, { repeatable: false });
    const restored = await settleTrash(generation, lease);
    lease.isUnsure = false;
    return restored;
  };

  return {
    retire,

    /** Finishes what a holder of the lease that died has begun. */
    recover: settleTrash,

    /** Goes through all doubts. One about a cell that only an unfinished write holds stays for the next time. */
    async collect(generation: Generation, lease: Lease): Promise<void> {
      const dead = (await journal.rows("write", "tidy")).filter((row) => mortality.isDead(row));
      await retire(generation, dead);
      const doubts = await journal.rows("doubt");
      for (let from = 0; from < doubts.length; from += CELLS_AT_ONCE) {
        const some = doubts.slice(from, from + CELLS_AT_ONCE);
        const cells = some.map(({ cell_id }) => cell_id);
        const holdings = await visibility.holdings(generation, cells, "Strong");
        const free = [...holdings].filter(([, holding]) => holding === "free").map(([cell]) => cell);
        const restored = free.length > 0 ? await removeFree(generation, lease, free) : new Set();
        await journal.forget(some.filter(({ cell_id }) => holdings.get(cell_id) !== "held" && !restored.has(cell_id)));
      }
    },
  };
}
