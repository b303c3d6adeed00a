import type { MakeCells, Notebook, WriteOutcome } from "../vector-store.js";
import { isIn, quote } from "./expression.js";
import type { Generations } from "./generations.js";
import { type Generation, type Journal, newStamp, type OpenWrite } from "./journal.js";
import { findFirstCopies } from "./reads.js";
import {
  type CellContent,
  groupBy,
  HEAD,
  type Head,
  newestHeads,
  REMOVED,
  toCellRows,
  toContent,
  toHeadRow,
  toTombstone,
  WHOLE,
} from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

interface WritesDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly generations: Generations;
}

/** The reason for retrying a change: another process is rebuilding the index, or has rebuilt it. */
export interface RebuildConflict {
  readonly moved: string;
}

const NOTEBOOKS_AT_ONCE = 2_048;
const STAMP_FIELDS = ["id", "notebook", "stamp", "source", "cells"] as const;

export type Writes = ReturnType<typeof createWrites>;

/**
 * Milvus has no transactions and no locks, and any number of processes write at once. Nothing is shared between two writes: each
 * has a stamp of its own, which is part of the keys of all its rows. A head says that all rows of its stamp are there; of the heads
 * of a notebook the one with the greatest stamp counts, and one may say that the notebook is gone (a tombstone). So a stamp is
 * dead as soon as there is a head with a greater one, nothing restores it, and any process may delete its rows.
 *
 * A writer (1) records in the journal which notebooks it writes, (2) reads their heads and takes a greater stamp, (3)
 * writes its rows, (4) writes its heads, (5) reads journal and heads again, (6) deletes what is older than the newest
 * head, and (7) acknowledges, and removes its journal entry. A remover writes tombstones in (4), and skips (1) and (3).
 * All these reads are strong: they see what was acknowledged before them.
 *
 * Why nothing acknowledged is lost: the rows of a stamp are deleted in (6) by a process with a greater head, which
 * replaced or removed the notebook later or at the same time. Otherwise only a sweep deletes them, if the writer is
 * dead and its stamp has no head that counts. If a slow writer was taken for dead, or the index was rebuilt meanwhile,
 * (5) shows that its journal entry is gone, that the generation is another one, or that a rebuild is running. The
 * writer then begins again. A rebuild that begins after (5) copies with strong reads what (4) wrote. A tombstone stays
 * while the journal has an open write of its notebook: a writer with a smaller stamp, whose rows the remover deleted,
 * finds it in (5). If two processes write one notebook, the version with the greater stamp remains, complete.
 *
 * If a process is killed between (3) and (6), a search can find two versions of a notebook, or a part of one, until the
 * notebook is written again or another process sweeps, as every command that writes does. Heads, counts and exports are
 * right all the time.
 */
export function createWrites({ tables, journal, generations }: WritesDeps) {
  const headsOf = (generation: Generation, notebooks: readonly string[]): Promise<Head[]> =>
    tables.among<Head>(generation.notebooks, "notebook", notebooks, { fields: HEAD, level: "Strong" });

  /** Deletes everything older than the current heads. */
  const removeOlder = async (generation: Generation, newest: Iterable<Pick<Head, "notebook" | "stamp">>) => {
    const byStamp = groupBy(newest, ({ stamp }) => stamp);
    for (const [stamp, heads] of byStamp) {
      for (let from = 0; from < heads.length; from += NOTEBOOKS_AT_ONCE) {
        const some = heads.slice(from, from + NOTEBOOKS_AT_ONCE).map(({ notebook }) => notebook);
        const filter = `${isIn("notebook", some)} and stamp < ${quote(stamp)}`;
        await Promise.all([generation.cells, generation.notebooks].map((name) => tables.removeWhere(name, filter)));
      }
    }
  };

  /** Tombstones of notebooks that no process is writing are no longer needed. */
  const removeTombstones = async (
    generation: Generation,
    tombstones: readonly Pick<Head, "id" | "notebook">[],
    open: readonly OpenWrite[],
  ) => {
    const written = new Set(open.flatMap(({ notebooks }) => notebooks));
    const ids = tombstones.filter(({ notebook }) => !written.has(notebook)).map(({ id }) => id);
    for (let from = 0; from < ids.length; from += NOTEBOOKS_AT_ONCE) {
      await tables.removeWhere(generation.notebooks, isIn("id", ids.slice(from, from + NOTEBOOKS_AT_ONCE)));
    }
  };

  /**
   * Makes the rows and heads of a stamp. Rows of stored contents are copied, new contents are computed; cells that
   * cannot be stored are left out.
   */
  const store = async (
    generation: Generation,
    notebooks: readonly Notebook[],
    make: (missing: readonly string[]) => Promise<readonly CellContent[]>,
    prepare: () => Promise<string>,
  ): Promise<WriteOutcome> => {
    const ids = [...new Set(notebooks.flatMap(({ cells }) => cells.map(({ id }) => id)))];
    const first = await findFirstCopies(tables, generation, ids, WHOLE, "Strong");
    const found = new Map<string, CellContent>(first);
    const made = await make(ids.filter((id) => !found.has(id)));
    for (const content of made) found.set(content.content, content);

    const kept = notebooks.map((notebook) => {
      const cells = notebook.cells.filter(({ id }) => found.has(id));
      return { ...notebook, cells, skipped: notebook.skipped + notebook.cells.length - cells.length };
    });
    const stamp = await prepare();
    // Rows that this write replaces do not count, because they will be deleted.
    const written = new Set(notebooks.map(({ id }) => id));
    const seen = new Set([...first].flatMap(([id, { notebook }]) => (written.has(notebook) ? [] : [id])));
    const isCopy = (content: string) => {
      const isKnown = seen.has(content);
      seen.add(content);
      return isKnown;
    };
    const options = { stamp, contents: found, isCopy, words: generation.words };
    const rows = kept.flatMap((notebook) => toCellRows(notebook, options));
    await tables.upsert(generation.cells, rows);
    await tables.upsert(
      generation.notebooks,
      kept.map((notebook) => toHeadRow(notebook, stamp)),
    );
    return {
      labels: new Map([...found].map(([id, { labels }]) => [id, labels])),
      added: new Set(made.map(({ content }) => content)),
      replaced: new Set(),
    };
  };

  return {
    store,

    async put(
      generation: Generation,
      notebooks: readonly Notebook[],
      make: MakeCells,
      signal?: AbortSignal,
    ): Promise<WriteOutcome | RebuildConflict> {
      const ids = notebooks.map(({ id }) => id);
      const entry = await journal.begin("write", { notebooks: ids, stamp: "" });
      let isClean = true;
      try {
        const before = headsOf(generation, ids);
        before.catch(() => undefined);
        const outcome = await store(
          generation,
          notebooks,
          async (missing) => {
            const made = await make(missing);
            signal?.throwIfAborted();
            return made.map(toContent);
          },
          async () => {
            const stamp = newStamp((await before).reduce((last, each) => (each.stamp > last ? each.stamp : last), ""));
            await entry.update({ notebooks: ids, stamp });
            entry.assertAlive();
            isClean = false;
            return stamp;
          },
        );
        const [state, heads] = await Promise.all([journal.read(), headsOf(generation, ids)]);
        const isKnown = state.writes.some(({ id }) => id === entry.id);
        const moved = generations.hasMoved(generation, state) ?? (isKnown ? null : "sweep");
        if (moved !== null) {
          isClean = true;
          return { moved };
        }
        const newest = newestHeads(heads);
        const replaced = heads.filter(({ notebook, stamp }) => newest.get(notebook)!.stamp !== stamp);
        await removeOlder(generation, new Set(replaced.map(({ notebook }) => newest.get(notebook)!)));
        isClean = true;
        const old = newestHeads(await before);
        const isReplaced = ({ id, version, facts }: Notebook) => {
          const head = old.get(id);
          return (
            head !== undefined &&
            head.cells !== REMOVED &&
            (head.version !== version || head.facts !== JSON.stringify(facts))
          );
        };
        return { ...outcome, replaced: new Set(notebooks.filter(isReplaced).map(({ id }) => id)) };
      } finally {
        // If the server is gone, or refused a part of the write, a later sweep removes the rows and the entry.
        await entry.end(isClean).catch(() => undefined);
      }
    },

    /** Number of existing (not removed) notebooks among these heads. */
    async remove(
      generation: Generation,
      heads: readonly Pick<Head, "notebook" | "source" | "stamp" | "cells">[],
    ): Promise<number | RebuildConflict> {
      const live = [...newestHeads(heads).values()].filter(({ cells }) => cells !== REMOVED);
      if (live.length === 0) return 0;
      const stamp = newStamp(heads.reduce((last, each) => (each.stamp > last ? each.stamp : last), ""));
      const tombstones = live.map((head) => toTombstone(head, stamp));
      await tables.upsert(generation.notebooks, tombstones);
      const state = await journal.read();
      const moved = generations.hasMoved(generation, state);
      if (moved !== null) return { moved };
      await removeOlder(generation, tombstones);
      await removeTombstones(generation, tombstones, state.writes);
      return live.length;
    },

    headsOf,

    /** The current heads of a source. */
    async headsOfSource(generation: Generation, source: string): Promise<Head[]> {
      const heads: Head[] = [];
      const selection = { fields: STAMP_FIELDS, level: "Strong" as const };
      const filter = `source == ${quote(source)}`;
      for await (const page of tables.pages<Head>(generation.notebooks, filter, WINDOW - 1, selection)) {
        heads.push(...page);
      }
      return heads;
    },

    /** Completes the writes of dead processes. */
    async sweep(generation: Generation): Promise<void> {
      const { writes } = await journal.read();
      const dead = writes.filter(({ isDead }) => isDead);
      for (const { notebooks, stamp } of dead) {
        if (stamp === "") continue;
        const heads = await headsOf(generation, notebooks);
        const newest = newestHeads(heads);
        const unfinished = notebooks.filter((notebook) => newest.get(notebook)?.stamp !== stamp);
        if (unfinished.length > 0) {
          const filter = `${isIn("notebook", unfinished)} and stamp == ${quote(stamp)}`;
          await Promise.all([generation.cells, generation.notebooks].map((name) => tables.removeWhere(name, filter)));
        }
        await removeOlder(generation, newest.values());
      }
      if (dead.length > 0) await journal.forget(dead.map(({ id }) => id));
      const selection = { fields: STAMP_FIELDS, level: "Strong" as const };
      for await (const tombstones of tables.pages<Head>(
        generation.notebooks,
        `cells == ${REMOVED}`,
        WINDOW - 1,
        selection,
      )) {
        const { writes: open } = await journal.read();
        await removeOlder(generation, tombstones);
        await removeTombstones(generation, tombstones, open);
      }
    },
  };
}

export const isMoved = (result: unknown): result is RebuildConflict =>
  typeof result === "object" && result !== null && "moved" in result;
