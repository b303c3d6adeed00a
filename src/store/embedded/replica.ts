import { createTurns } from "../../threads/turns.js";
import { type Database, inTransaction } from "./database.js";
import type { IndexState, State } from "./state.js";

/** Something in memory that was made of the database. */
interface Replicated {
  readonly state: IndexState;
  readonly cursor: Cursor;
}

interface ReplicaDeps<T extends Replicated> {
  readonly state: State;
  /** Whether `nearby` may be behind. */
  readonly lags: boolean;
  load(now: IndexState): Promise<T>;
  /** Whether what is there, of the same generation, can still be brought up to date; where left out, always. */
  isUsable?(loaded: T): boolean;
  /** Brings it up to date; false where the generation has changed meanwhile. */
  advance(current: T, isFresh: boolean): Promise<boolean>;
}

/** Keeps something in memory in step with the database. Rows are taken in slice by slice, and others are answered meanwhile. */
export function createReplica<T extends Replicated>({ state, lags, load, isUsable, advance }: ReplicaDeps<T>) {
  let loaded: T | null = null;
  /** The same, also while rows are taken in: it has all of a moment that has passed, and some of what came since. */
  let visible: T | null = null;
  let following: Promise<void> | null = null;

  const follow = async (): Promise<void> => {
    const now = state.read()!;
    const before = loaded;
    const isKept =
      before?.state.generation === now.generation &&
      before.cursor.commits <= now.commits &&
      (isUsable?.(before) ?? true);
    const current = isKept ? before : await load(now);
    // What is half read is of no use to anybody.
    loaded = null;
    if (!isKept) visible = null;
    loaded = (await advance(current, !isKept)) ? current : null;
    visible = loaded;
  };
  const startFollowing = () => {
    following ??= follow()
      .catch((error) => {
        visible = null;
        throw error;
      })
      .finally(() => {
        following = null;
      });
    return following;
  };
  const current = async (): Promise<T> => {
    for (;;) {
      const now = state.read()!;
      if (loaded !== null && isCurrent(loaded.cursor, loaded.state.generation, now)) return loaded;
      await startFollowing();
    }
  };

  return {
    /** As it is at least at this moment. */
    current,

    /** What is there already; where that is behind, it is brought up to date meanwhile. */
    async nearby(): Promise<T> {
      const now = state.read()!;
      if (!lags || visible?.state.generation !== now.generation) return current();
      // Where it fails nothing is visible any more, and the next question is told why.
      if (!isCurrent(visible.cursor, now.generation, now)) startFollowing().catch(() => {});
      return visible;
    },

    /** Leaves it to the next who asks to load it again. */
    forget(): void {
      loaded = null;
      visible = null;
    },

    /** What is whole, of this generation; null while there is none. */
    loadedOf: (generation: string): T | null => (loaded?.state.generation === generation ? loaded : null),
  };
}

/** How far something that follows the database is. */
export interface Cursor {
  row: number;
  /** Null before anything was read. */
  removal: number | null;
  commits: number;
}

/** Something in memory that is made of the cells. */
export interface ChangeSink {
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

/** Brings sinks up to date, slice by slice, each slice as the database was at one moment. */
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
  return async (sink: ChangeSink, cursor: Cursor, generation: string): Promise<boolean> => {
    const turn = createTurns();
    for (;;) {
      const slice = inTransaction(database, () => readSlice(cursor), "deferred");
      if (slice.now?.generation !== generation) return false;
      for (const row of slice.rows) {
        sink.add(row);
        await turn();
      }
      cursor.row = slice.rows.at(-1)?.[0] ?? cursor.row;
      if (slice.living !== null) for (const row of [...sink.rows()]) if (!slice.living.has(row)) sink.remove(row);
      for (const [, row] of slice.removals) sink.remove(row);
      cursor.removal = slice.removals.at(-1)?.[0] ?? slice.removal;
      for (const _ of sink.tidy?.() ?? []) await turn();
      if (slice.rows.length < SLICE) {
        cursor.commits = slice.now.commits;
        return true;
      }
      await turn();
    }
  };
}

/** Whether nothing was committed since. */
function isCurrent(cursor: Cursor, generation: string, now: IndexState): boolean {
  return generation === now.generation && cursor.commits === now.commits;
}
