import { type Cursor, isCurrent } from "./changes.js";
import type { IndexState, State } from "./state.js";

/** Something in memory that was made of the database. */
export interface Followed {
  readonly state: IndexState;
  readonly cursor: Cursor;
}

export interface FollowingDeps<T extends Followed> {
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
export function createFollowing<T extends Followed>({ state, lags, load, isUsable, advance }: FollowingDeps<T>) {
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
