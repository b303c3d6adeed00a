import type { MakeCells, NewCell, Notebook, WriteOutcome } from "../vector-store.js";
import { isIn, quote } from "./expression.js";
import { codeOf, NOT_FOUND } from "./failure.js";
import type { Generation } from "./generations.js";
import type { Journal, JournalRow } from "./journal.js";
import { newOwner } from "./journal.js";
import type { Leases } from "./lease.js";
import { createPulse, type Mortality, type Pulse } from "./pulse.js";
import {
  type CellRow,
  HEAD_FIELDS,
  HEAD_INDEX,
  type HeadRow,
  headId,
  type OccurrenceRow,
  toCellRow,
  toHeadRow,
  toOccurrenceRows,
} from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

export interface WritesDeps {
  readonly tables: Tables;
  readonly journal: Journal;
  readonly leases: Leases;
  readonly mortality: Mortality;
}

/** A write that is done, and what is left to tidy up behind it. */
export interface Done<T> {
  readonly result: T;
  readonly write: string;
  readonly notebooks: readonly string[];
}

/** Why a write has to begin again: somebody rebuilds the index, or has. */
export interface Moved {
  readonly moved: string;
}

type Slim = Pick<OccurrenceRow, "id" | "notebook" | "write" | "cell_id">;

const IDS_AT_ONCE = 4_096;
const SLIM = ["id", "notebook", "write", "cell_id"] as const;

export type Writes = ReturnType<typeof createWrites>;

/**
 * Milvus has no transactions and no locks, and any number of processes write at once. What keeps acknowledged cells from
 * being lost is the order of the steps, given that a strong read sees every write that was acknowledged before it:
 *
 * - A writer (1) says in the journal that it is under way, (2) writes its occurrences, under keys of its own, (3) looks which
 *   cells are missing and adds them, (4) publishes the head, which makes the occurrences count. Then it acknowledges.
 * - The collector, one at a time by lease, (a) finds a cell that nothing holds, (b) copies it into the trash, (c) deletes it,
 *   (d) looks again for occurrences, of finished and of unfinished writes, (e) puts it back where there is one, (f) empties
 *   the trash.
 *
 * If (2) comes before (d), the collector sees the occurrence and puts the cell back. If it comes after (d), then (c) came before
 * (3), and the writer sees that the cell is missing and adds it. There is no third case. A collector that dies between
 * (b) and (f) leaves the trash, and the next one does (d) to (f) for it. Adding a cell twice is harmless: its id is
 * its content.
 *
 * Two writers of one notebook have occurrences under different keys, and the last head counts, so the notebook is one
 * or the other, whole. Nobody removes occurrences of a write that is open in the journal, and a writer whose sign of
 * life is old, which others may have given up, does not publish.
 */
export function createWrites({ tables, journal, leases, mortality }: WritesDeps) {
  /** Says that these notebooks are being written, as long as the action runs. */
  const underWay = async <T>(
    notebooks: readonly string[],
    action: (write: string, pulse: Pulse) => Promise<T | Moved>,
  ): Promise<Done<T> | Moved> => {
    const write = newOwner();
    await journal.announce("write", write, notebooks);
    const pulse = createPulse(mortality, () => journal.announce("write", write, notebooks));
    try {
      const result = await action(write, pulse);
      if (isMoved(result)) return result;
      return { result, write, notebooks };
    } catch (error) {
      // The collection is gone, and with it whatever this write has begun.
      if (codeOf(error) === NOT_FOUND) await journal.withdraw("write", write);
      throw error;
    } finally {
      await pulse.stop();
    }
  };

  const begin = async (
    generation: Generation,
    write: string,
    notebooks: readonly string[],
    cells: readonly string[],
  ) => {
    const { occurrences } = generation;
    const [state, known, heads, others] = await Promise.all([
      journal.rows("lease", "current"),
      tables.among<Pick<CellRow, "id" | "labels">>(generation.cells, "id", cells, IDS_AT_ONCE, {
        fields: ["id", "labels"],
        level: "Strong",
      }),
      tables.among<HeadRow>(occurrences, "id", notebooks.map(headId), IDS_AT_ONCE, {
        fields: HEAD_FIELDS,
        level: "Strong",
      }),
      occurrencesOf(generation, notebooks, `write != ${quote(write)}`),
    ]);
    const labels = new Map(known.map(({ id, labels }) => [id, [...labels] as readonly string[]]));
    return { moved: hasMoved(generation, state), labels, heads, others };
  };

  /** A rebuilder first makes writers wait, and waits for those under way, so that who sees neither is safe from it. */
  const hasMoved = (generation: Generation, state: readonly JournalRow[]): string | null => {
    const barrier = leases.barrier(state);
    if (barrier !== null) return barrier;
    const now = state.find(({ kind }) => kind === "current");
    const isSame = now !== undefined && (JSON.parse(now.about) as Generation).cells === generation.cells;
    return isSame ? null : "rebuild it";
  };

  const occurrencesOf = async ({ occurrences }: Generation, notebooks: readonly string[], and: string) => {
    const filter = `${isIn("notebook", notebooks)} and cell_index != ${HEAD_INDEX} and ${and}`;
    const found: Slim[] = [];
    const selection = { fields: SLIM, level: "Strong" as const };
    for await (const page of tables.pages<Slim>(occurrences, filter, WINDOW, selection)) found.push(...page);
    return found;
  };

  let turns: Promise<unknown> = Promise.resolve();
  /** One after another in this process: two upserts of one key at once can leave two rows on Milvus Lite. */
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const turn = turns.then(action);
    turns = turn.catch(() => undefined);
    return turn;
  };

  /** Takes back what a write that cannot go on has written. */
  const undo = async ({ occurrences }: Generation, write: string, rows: readonly OccurrenceRow[]) => {
    const ids = rows.map(({ id }) => id);
    await tables.remove(occurrences, ids);
    await journal.withdraw("write", write);
  };

  return {
    occurrencesOf,

    put: (generation: Generation, notebooks: readonly Notebook[], make: MakeCells, signal?: AbortSignal) => {
      const ids = notebooks.map(({ id }) => id);
      return underWay<WriteOutcome>(ids, async (write, pulse) => {
        const rows = notebooks.flatMap((notebook) => toOccurrenceRows(notebook, write));
        await tables.insert(generation.occurrences, rows);
        const cells = [...new Set(rows.map(({ cell_id }) => cell_id))];
        const { moved, labels, heads, others } = await begin(generation, write, ids, cells);
        if (moved !== null) {
          await undo(generation, write, rows);
          return { moved };
        }
        let made: readonly NewCell[];
        try {
          made = await make(cells.filter((id) => !labels.has(id)));
          signal?.throwIfAborted();
        } catch (error) {
          await undo(generation, write, rows);
          throw error;
        }
        const madeRows = made.map((cell) => toCellRow(cell, write, generation.words));
        await inTurn(() => tables.upsert(generation.cells, madeRows));
        for (const { id, labels: own } of made) labels.set(id, own);
        const kept = await dropUnmade(generation, write, notebooks, rows, labels);
        await journal.doubt(write, lost(heads, others, kept));
        const headRows = kept.map((notebook) => toHeadRow(notebook, write));
        await inTurn(() => {
          pulse.assertAlive();
          return tables.upsert(generation.occurrences, headRows, { repeatable: false });
        });
        const replaced = new Set(notebooks.filter((notebook) => isReplaced(notebook, heads)).map(({ id }) => id));
        return { labels, added: new Set(made.map(({ id }) => id)), replaced };
      });
    },

    /** How many of the notebooks were there. */
    remove: (generation: Generation, ids: readonly string[]) =>
      underWay<number>(ids, async (write, pulse) => {
        const { moved, heads, others } = await begin(generation, write, ids, []);
        if (moved !== null) {
          await journal.withdraw("write", write);
          return { moved };
        }
        await journal.doubt(write, lost(heads, others, []));
        const headIds = heads.map((head) => head.id);
        await inTurn(() => {
          pulse.assertAlive();
          return tables.remove(generation.occurrences, headIds, { repeatable: false });
        });
        return heads.length;
      }),
  };

  /** Cells that could not be made do not stand in their notebooks; where there are some, the occurrences are written again. */
  async function dropUnmade(
    { occurrences }: Generation,
    write: string,
    notebooks: readonly Notebook[],
    rows: readonly OccurrenceRow[],
    labels: ReadonlyMap<string, unknown>,
  ): Promise<readonly Notebook[]> {
    const gone = rows.filter(({ cell_id }) => !labels.has(cell_id));
    if (gone.length === 0) return notebooks;
    const kept = notebooks.map((notebook) => {
      const cells = notebook.cells.filter(({ id }) => labels.has(id));
      return { ...notebook, cells, skipped: notebook.skipped + notebook.cells.length - cells.length };
    });
    await tables.remove(
      occurrences,
      gone.map(({ id }) => id),
    );
    // What stood in front of a cell that is gone has another one behind it now.
    const before = new Map(rows.map(({ id, next }) => [id, next]));
    const changed = kept.flatMap((notebook) => toOccurrenceRows(notebook, write));
    await tables.upsert(
      occurrences,
      changed.filter(({ id, next }) => before.get(id) !== next),
    );
    return kept;
  }
}

export const isMoved = (result: unknown): result is Moved =>
  typeof result === "object" && result !== null && "moved" in result;

function isReplaced({ id, version, facts }: Notebook, heads: readonly HeadRow[]): boolean {
  const old = heads.find(({ notebook }) => notebook === id);
  return old !== undefined && (old.version !== version || old.facts !== JSON.stringify(facts));
}

/** The cells that stand in the versions which count now, and in none of the new ones of the same notebooks. */
function lost(heads: readonly HeadRow[], rows: readonly Slim[], notebooks: readonly Notebook[]): Set<string> {
  const writes = new Map(heads.map(({ notebook, write }) => [notebook, write]));
  const counting = rows.filter(({ notebook, write }) => writes.get(notebook) === write);
  const kept = new Set(notebooks.flatMap(({ cells }) => cells.map(({ id }) => id)));
  return new Set(counting.map(({ cell_id }) => cell_id).filter((cell) => !kept.has(cell)));
}
