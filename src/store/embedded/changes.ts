import { createTurns } from "../../threads/turns.js";
import type { Database } from "./database.js";
import type { IndexState, State } from "./state.js";
import { inTransaction } from "./transaction.js";

/** How far something that follows the database is. */
export interface Cursor {
  row: number;
  /** Null before anything was read. */
  removal: number | null;
  commits: number;
}

/** Something in memory that is made of the cells. */
export interface Follower {
  /** A row as the statement gives it, the row number first. */
  add(row: readonly unknown[]): void;
  remove(row: number): void;
  /** The rows that it holds, to find out which have gone. */
  rows(): Iterable<number>;
  /** Tidies up after a slice; yields now and then. */
  tidy?(): Generator<void, void>;
}

/** Rows that are read at one go. */
const SLICE = 100;

/** Brings followers up to date, slice by slice, each slice as the database was at one moment. */
export function createChanges(database: Database, state: State, columns: string) {
  const added = database
    .prepare<[number]>(`select c.row, ${columns} where c.row > ? order by c.row limit ${SLICE}`)
    .raw();
  const removed = database.prepare<[number]>("select seq, row from removed where seq > ? order by seq").raw();
  const lastRemoval = database.prepare("select coalesce(max(seq), 0) from removed").raw();
  const allRows = database.prepare("select row from cells").raw();

  const readSlice = (cursor: Cursor) => {
    const now = state.read();
    const isFresh = cursor.removal === null;
    const removal = cursor.removal ?? Math.max(now?.pruned ?? 0, (lastRemoval.get() as [number])[0]);
    const hasMissed = now !== null && !isFresh && now.pruned > removal;
    return {
      now,
      removal: hasMissed ? now.pruned : removal,
      rows: added.all(cursor.row) as [number, ...unknown[]][],
      removals: removed.all(removal) as [number, number][],
      living: hasMissed ? new Set((allRows.all() as [number][]).map(([row]) => row)) : null,
    };
  };

  /** False where the generation has changed meanwhile, so that what was read is of no use. */
  return async (follower: Follower, cursor: Cursor, generation: string): Promise<boolean> => {
    const turn = createTurns();
    for (;;) {
      const slice = inTransaction(database, () => readSlice(cursor), "deferred");
      if (slice.now?.generation !== generation) return false;
      for (const row of slice.rows) {
        follower.add(row);
        await turn();
      }
      cursor.row = slice.rows.at(-1)?.[0] ?? cursor.row;
      if (slice.living !== null)
        for (const row of [...follower.rows()]) if (!slice.living.has(row)) follower.remove(row);
      for (const [, row] of slice.removals) follower.remove(row);
      cursor.removal = slice.removals.at(-1)?.[0] ?? slice.removal;
      for (const _ of follower.tidy?.() ?? []) await turn();
      if (slice.rows.length < SLICE) {
        cursor.commits = slice.now.commits;
        return true;
      }
      await turn();
    }
  };
}

/** Whether nothing was committed since. */
export function isCurrent(cursor: Cursor, generation: string, now: IndexState): boolean {
  return generation === now.generation && cursor.commits === now.commits;
}
