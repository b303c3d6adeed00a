import { setTimeout as sleep } from "node:timers/promises";
import type { IndexIdentity, Notebook, Revision, SettleProgress, StoredCell } from "../vector-store.js";
import type { Generations } from "./generations.js";
import { type Generation, newStamp } from "./journal.js";
import type { createReads } from "./reads.js";
import { ANCHOR, type CellRow, contentOf, FOUND_FIELDS, toContent, toNotebook, toStoredCell } from "./rows.js";
import type { Level, Tables } from "./tables.js";
import type { Writes } from "./writes.js";

export type Revise = (cells: readonly StoredCell[]) => Promise<readonly Revision[]>;

export interface RebuildDeps {
  readonly tables: Tables;
  readonly generations: Generations;
  readonly reads: ReturnType<typeof createReads>;
  readonly writes: Writes;
  readonly identity: IndexIdentity;
  /** Up to this many rows, search is exact; beyond, it goes through a graph. */
  readonly exactLimit: number;
  /** After this long, bounded reads see all that was acknowledged before. */
  readonly stalenessMs: number;
}

const NOTEBOOKS_AT_ONCE = 64;
const ROWS_AT_ONCE = 1_024;
/** Up to here strong reads, which wait for the server's clock at each page, take less time than waiting once. */
const FEW_ROWS = 10_000;
const ROW_FIELDS = [...FOUND_FIELDS, "copy" as const, "vector" as const];

/** Builds a new index next to the old one. Readers switch when it is complete; writers wait. */
export function createRebuild(deps: RebuildDeps) {
  const { tables, generations, reads, writes, identity, exactLimit, stalenessMs } = deps;

  const rowCount = ({ cells }: Generation) => tables.count(cells, "", "Bounded");

  /** How to read all that was acknowledged before this moment. */
  const levelFor = async (rows: number): Promise<Level> => {
    if (rows <= FEW_ROWS) return "Strong";
    await sleep(stalenessMs);
    return "Bounded";
  };

  const orDrop = async (next: Generation, fill: () => Promise<void>): Promise<Generation> => {
    try {
      await fill();
      // After a strong read, bounded ones see the whole of it too.
      await Promise.all([next.cells, next.notebooks].map((name) => tables.count(name, "", "Strong")));
      return next;
    } catch (error) {
      await generations.drop(next);
      throw error;
    }
  };

  /** New labels and vectors for all cells, notebook by notebook. */
  const revised = async (old: Generation, revise: Revise): Promise<Generation> => {
    const rows = await rowCount(old);
    const level = await levelFor(rows);
    const next = await generations.create(identity, rows <= exactLimit);
    return orDrop(next, async () => {
      const stamp = newStamp();
      const removed = new Set<string>();
      for await (const heads of reads.heads(old, level, NOTEBOOKS_AT_ONCE)) {
        if (heads.length === 0) continue;
        const found = await tables.among<CellRow>(
          old.cells,
          "notebook",
          heads.map(({ notebook }) => notebook),
          { fields: ROW_FIELDS, level },
        );
        const cells = new Map(found.map((row) => [row.content, row]));
        const notebooks = heads.map((head): Notebook => toNotebook(head, found));
        const make = async (missing: readonly string[]) => {
          const asked = missing.filter((id) => !removed.has(id)).map((id) => toStoredCell(cells.get(id)!));
          const revisions = asked.length === 0 ? [] : await revise(asked);
          return asked.flatMap((cell, at) => {
            const revision = revisions[at] ?? null;
            if (revision === null) removed.add(cell.id);
            const { profile } = cells.get(cell.id)!;
            return revision === null ? [] : [{ ...toContent({ ...cell, ...revision }, next.words), profile }];
          });
        };
        await writes.store(next, notebooks, make, async () => stamp);
      }
    });
  };

  /** The same rows with a graph for an index: beyond some size, a scan of all takes too long. Null if the server has no graph. */
  const grown = async (old: Generation, onProgress: (progress: SettleProgress) => void): Promise<Generation | null> => {
    const total = await rowCount(old);
    const level = await levelFor(total);
    const next = await generations.create(old.identity, false);
    if (next.exact) {
      await generations.drop(next);
      return null;
    }
    return orDrop(next, async () => {
      const stamps = new Map<string, string>();
      for await (const heads of reads.heads(old, level, ROWS_AT_ONCE)) {
        for (const { notebook, stamp } of heads) stamps.set(notebook, stamp);
        await tables.upsert(
          next.notebooks,
          heads.map((head) => ({ ...head, anchor: ANCHOR })),
        );
      }
      let done = 0;
      for await (const rows of tables.pages<CellRow>(old.cells, "", ROWS_AT_ONCE, { fields: ROW_FIELDS, level })) {
        const kept = rows.filter(({ notebook, stamp }) => stamps.get(notebook) === stamp);
        await tables.upsert(
          next.cells,
          kept.map((row) => ({ ...row, ...contentOf(row, next.words) })),
        );
        done += rows.length;
        onProgress({ phase: "graph", done: Math.min(done, total), total });
      }
    });
  };

  return {
    rewrite: (revise: Revise) =>
      generations.replace("re-embed it", (old) =>
        old === null ? generations.create(identity, true) : revised(old, revise),
      ),

    clear: () => generations.replace("empty it", () => generations.create(identity, true)),

    /** Whether it has outgrown exact search. */
    isLarge: async (generation: Generation) => generation.exact && (await rowCount(generation)) > exactLimit,

    /** False if the server has no graph. */
    async grow(onProgress: (progress: SettleProgress) => void): Promise<boolean> {
      let isGrown = true;
      await generations.replace("build its graph", async (old) => {
        // Another process may have built it while this one waited.
        if (old === null || !old.exact) return null;
        const next = await grown(old, onProgress);
        isGrown = next !== null;
        return next;
      });
      generations.forget();
      return isGrown;
    },
  };
}
