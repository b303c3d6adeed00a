import { setTimeout as sleep } from "node:timers/promises";
import type { IndexIdentity, Revision, SettleProgress, StoredCell } from "../vector-store.js";
import { EMPTY, type Generations } from "./generations.js";
import { type Generation, newStamp } from "./journal.js";
import type { Writes } from "./notebook-writes.js";
import type { createReads } from "./reads.js";
import { type CellRow, profileOf, toContent, toFound, toNotebook, toStoredCell, WHOLE } from "./rows.js";
import type { Level, Tables } from "./tables.js";

type Revise = (cells: readonly StoredCell[]) => Promise<readonly Revision[]>;

interface RebuildDeps {
  readonly tables: Tables;
  readonly generations: Generations;
  readonly reads: ReturnType<typeof createReads>;
  readonly writes: Writes;
  readonly identity: IndexIdentity;
  /** Up to this many rows, search is exact; beyond, it goes through a graph. */
  readonly exactLimit: number;
  /** After this time, bounded reads see everything acknowledged before. */
  readonly stalenessMs: number;
}

const NOTEBOOKS_AT_ONCE = 64;
/**
 * Up to this many rows, strong reads are faster than waiting for bounded reads to catch up. Each page of a strong read
 * waits for the server's clock.
 */
const FEW_ROWS = 10_000;

/** Builds a new index next to the old one. Readers switch when it is complete; writers wait. */
export function createRebuild(deps: RebuildDeps) {
  const { tables, generations, reads, writes, identity, exactLimit, stalenessMs } = deps;

  const rowCount = ({ cells }: Generation) => tables.count(cells, "", "Bounded");

  /** The consistency level for reading everything acknowledged before this moment. */
  const levelFor = async (rows: number): Promise<Level> => {
    if (rows <= FEW_ROWS) return "Strong";
    await sleep(stalenessMs);
    return "Bounded";
  };

  /** Fills a new generation, notebook by notebook, with the same cells or with new labels and vectors. */
  const copy = async (
    old: Generation,
    next: Generation,
    { revise, onProgress = () => {} }: { revise?: Revise; onProgress?: (progress: SettleProgress) => void },
  ): Promise<Generation> => {
    const total = await rowCount(old);
    const level = await levelFor(total);
    const stamp = newStamp();
    const removed = new Set<string>();
    let done = 0;
    try {
      for await (const heads of reads.heads(old, level, NOTEBOOKS_AT_ONCE)) {
        if (heads.length === 0) continue;
        const ids = heads.map(({ notebook }) => notebook);
        const rows = await tables.among<CellRow>(old.cells, "notebook", ids, { fields: WHOLE, level });
        const found = rows.map(toFound);
        const contents = new Map(found.map((row) => [row.content, row]));
        const make = async (missing: readonly string[]) => {
          const asked = missing.filter((id) => !removed.has(id)).map((id) => contents.get(id)!);
          if (revise === undefined || asked.length === 0) return asked;
          const revisions = await revise(asked.map(toStoredCell));
          return asked.flatMap((row, at) => {
            const revision = revisions[at] ?? null;
            if (revision === null) removed.add(row.content);
            return revision === null ? [] : [toContent({ ...toStoredCell(row), ...revision, profile: profileOf(row) })];
          });
        };
        const notebooks = heads.map((head) => toNotebook(head, found));
        await writes.store(next, notebooks, make, async () => stamp);
        done += rows.length;
        onProgress({ phase: "graph", done: Math.min(done, total), total });
      }
      // After a strong read, bounded reads see the same rows.
      await Promise.all([next.cells, next.notebooks].map((name) => tables.count(name, "", "Strong")));
      return next;
    } catch (error) {
      await generations.drop(next);
      throw error;
    }
  };

  return {
    rewrite: (revise: Revise) =>
      generations.replace("re-embed it", async (old) => {
        const next = await generations.create(identity, old === null || (await rowCount(old)) <= exactLimit);
        return old === null ? next : copy(old, next, { revise });
      }),

    clear: () => generations.replace(EMPTY, () => generations.create(identity, true)),

    /** Whether the index has outgrown exact search. */
    isLarge: async (generation: Generation) => generation.exact && (await rowCount(generation)) > exactLimit,

    /** Builds the graph; false if the server supports none. */
    async grow(onProgress: (progress: SettleProgress) => void): Promise<boolean> {
      let isGrown = true;
      await generations.replace("build its graph", async (old) => {
        // Another process may have built it while this one waited.
        if (old === null || !old.exact) return null;
        const next = await generations.create(old.identity, false);
        isGrown = !next.exact;
        if (isGrown) return copy(old, next, { onProgress });
        await generations.drop(next);
        return null;
      });
      generations.forget();
      return isGrown;
    },
  };
}
