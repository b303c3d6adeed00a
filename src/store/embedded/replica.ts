import { createTurns } from "../../threads/turns.js";
import { type Database, inTransaction } from "./database.js";
import type { IndexState, State } from "./state.js";

/** In-memory data derived from the database. */
interface Replicated {
  readonly state: IndexState;
  readonly cursor: Cursor;
}

interface ReplicaDeps<T extends Replicated> {
  readonly state: State;
  /** Whether `nearby` may return stale data. */
  readonly allowsStale: boolean;
  load(now: IndexState): Promise<T>;
  /** Whether loaded data of the same generation can be updated; always, by default. */
  isUsable?(loaded: T): boolean;
  /** Updates the loaded data; false if the generation has changed meanwhile. */
  advance(current: T, isFresh: boolean): Promise<boolean>;
}

/**
 * Keeps in-memory data in sync with the database. Rows are read slice by slice, so that queries are answered meanwhile.
 */
export function createReplica<T extends Replicated>({ state, allowsStale, load, isUsable, advance }: ReplicaDeps<T>) {
  let loaded: T | null = null;
  /** The data that `nearby` may return, even while rows are read: a complete past state, plus some newer rows. */
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
    // Partly loaded data must not be used.
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
    /** The data, at least as new as this moment. */
    current,

    /** The loaded data; if it is stale, it is updated in the background. */
    async nearby(): Promise<T> {
      const now = state.read()!;
      if (!allowsStale || visible?.state.generation !== now.generation) return current();
      // On failure the data is dropped, and the next query gets the error.
      if (!isCurrent(visible.cursor, now.generation, now)) startFollowing().catch(() => {});
      return visible;
    },

    /** Drops the data; the next query loads it again. */
    forget(): void {
      loaded = null;
      visible = null;
    },

    /** The loaded data of this generation; null while there is none. */
    loadedOf: (generation: string): T | null => (loaded?.state.generation === generation ? loaded : null),
  };
}

/** The position up to which a replica has read. */
export interface Cursor {
  row: number;
  /** Null before anything was read. */
  removal: number | null;
  commits: number;
}

/** Receives the changes of the cells. */
export interface ChangeSink {
  /** Adds a row of the statement; the row number comes first. */
  add(row: readonly unknown[]): void;
  remove(row: number): void;
  /** The rows of the sink, for finding out which were removed. */
  rows(): Iterable<number>;
  /** Cleans up after a slice; yields regularly. */
  tidy?(): Generator<void, void>;
}

/** Number of rows read at once. */
const SLICE = 100;

/** Updates sinks slice by slice; each slice is a consistent read of the database. */
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

  /** False if the generation has changed, which makes the data useless. */
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

/** Whether nothing was committed since the last read. */
function isCurrent(cursor: Cursor, generation: string, now: IndexState): boolean {
  return generation === now.generation && cursor.commits === now.commits;
}
