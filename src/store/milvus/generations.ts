import { setTimeout as sleep } from "node:timers/promises";
import { RecommenderError } from "../../errors.js";
import { describeMismatch } from "../identity.js";
import type { IndexIdentity } from "../vector-store.js";
import type { Collections } from "./collections.js";
import { codeOf, isNotLoaded, NOT_FOUND } from "./failure.js";
import { type Entry, type Generation, type Journal, type JournalState, LAYOUT, newStamp } from "./journal.js";
import { cellsLayout, JOURNAL_LAYOUT, NOTEBOOKS_LAYOUT } from "./schema.js";

interface GenerationsDeps {
  readonly collections: Collections;
  readonly journal: Journal;
  readonly identity: IndexIdentity;
  readonly address: string;
  readonly prefix: string;
}

const ABOUT_JOURNAL = "celrec index 3";
/** The only change allowed for an index of another layout. */
export const EMPTY = "empty it";
/** Another process creates an index in a few seconds; a rebuild takes too long to wait for. */
const LOCK_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

export type Generations = ReturnType<typeof createGenerations>;

/**
 * Manages the collections of the index: finds or creates them on first use, and looks them up again if another process
 * replaced them.
 */
export function createGenerations({ collections, journal, identity, address, prefix }: GenerationsDeps) {
  const ours = new RegExp(`^${prefix}_(cells|notebooks)_[0-9a-z]+$`);
  const older = new RegExp(`^${prefix}_(journal|(cells|occurrences)_[0-9a-z]+)$`);
  let opening: Promise<Generation> | null = null;

  const createJournal = () => collections.create(journal.name, ABOUT_JOURNAL, JOURNAL_LAYOUT);

  /** Null if there is no index. */
  const read = async (): Promise<JournalState | null> => {
    try {
      return await journal.read();
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return null;
      const found = error instanceof RecommenderError ? await collections.find(journal.name) : null;
      if (found !== null && found.schema.description !== ABOUT_JOURNAL) throw foreign();
      if (!isNotLoaded(error)) throw error;
      // Another process is creating the index right now, or was killed while creating it.
      await createJournal();
      return journal.read();
    }
  };

  /**
   * A lock for replacing the index, on a server without compare-and-set. A process announces itself, then reads the
   * announcements, and has the lock if there is no other one. If two processes compete, the later reader sees both
   * announcements, so at most one gets the lock.
   */
  const lock = async (what: string): Promise<{ entry: Entry; state: JournalState }> => {
    for (const start = Date.now(); ; ) {
      const entry = await journal.begin("rebuild", { what });
      const state = await journal.read();
      const others = state.rebuilds.filter(({ id }) => id !== entry.id);
      if (others.every(({ isDead }) => isDead)) {
        if (others.length > 0) await journal.forget(others.map(({ id }) => id));
        return { entry, state };
      }
      await entry.end();
      if (Date.now() - start > LOCK_TIMEOUT_MS) throw refusal(others[0]!.what);
      await sleep(POLL_MS * (1 + Math.random()));
    }
  };

  const findOrCreate = async (): Promise<Generation> => {
    const state = await read();
    if (state?.isOutdated) throw outdated();
    const found = state?.current ?? (await createFirst());
    const mismatch = describeMismatch(`The index ${prefix} in Milvus at ${address}`, found.identity, identity);
    if (mismatch !== null) throw mismatch;
    return found;
  };

  const createFirst = async (): Promise<Generation> => {
    const before = await collections.list(older);
    if (before.includes(`${prefix}_journal`)) throw outdated();
    await createJournal();
    const { entry, state } = await lock("make it");
    try {
      if (state.current !== null) return state.current;
      const made = await create(identity, true);
      await journal.publish(made);
      return made;
    } finally {
      await entry.end();
    }
  };

  /**
   * Creates and loads empty collections that are not visible yet, with a graph and word search if the server supports
   * them.
   */
  const create = async (of: IndexIdentity, exact: boolean): Promise<Generation> => {
    const stamp = newStamp();
    const [cells, notebooks] = [`${prefix}_cells_${stamp}`, `${prefix}_notebooks_${stamp}`];
    const [made] = await Promise.all([
      createCells(cells, of.dimensions, exact),
      collections.create(notebooks, "celrec", NOTEBOOKS_LAYOUT),
    ]);
    return { layout: LAYOUT, cells, notebooks, identity: { ...of, labels: [...of.labels] }, ...made };
  };

  const createCells = async (name: string, dimensions: number, exact: boolean) => {
    const mayKnowWords = await collections.mayKnowFunctions();
    for (const words of mayKnowWords ? [true, false] : [false]) {
      for (const kind of exact ? [true] : [false, true]) {
        const layout = cellsLayout({ dimensions, exact: kind, words });
        if (await collections.tryCreate(name, "celrec", layout)) return { exact: kind, words };
      }
    }
    throw new RecommenderError(
      "STORE_UNAVAILABLE",
      `Milvus at ${address} refuses the collection ${name}; is it 2.3.5 or later?`,
    );
  };

  const forget = (attempt: Promise<Generation> | null = opening) => {
    if (opening === attempt) opening = null;
  };

  const current = (): Promise<Generation> => {
    if (opening === null) {
      const attempt = findOrCreate();
      opening = attempt;
      attempt.catch(() => forget(attempt));
    }
    return opening;
  };

  return {
    current,
    create,
    drop: ({ cells, notebooks }: Generation) => collections.drop([cells, notebooks]),
    forget: () => forget(),

    /** Another process may have replaced the collections, so after one failure they are looked up again. */
    async use<T>(action: (generation: Generation) => Promise<T>): Promise<T> {
      const attempt = current();
      const generation = await attempt;
      try {
        return await action(generation);
      } catch (error) {
        if (codeOf(error) === null) throw error;
        forget(attempt);
        const now = await current();
        if (now.cells === generation.cells) throw error;
        return action(now);
      }
    },

    /**
     * Replaces the index, even if its identity differs. Writers wait; readers use the old index until the new one is
     * complete.
     */
    async replace(what: string, build: (old: Generation | null) => Promise<Generation | null>): Promise<void> {
      const before = await read();
      const isOutdated = before?.isOutdated ?? (await collections.list(older)).includes(`${prefix}_journal`);
      if (isOutdated && what !== EMPTY) throw outdated();
      if (before === null) await createJournal();
      const { entry, state } = await lock(what);
      try {
        const next = await build(state.current);
        if (next === null) return;
        entry.assertAlive();
        if (!(await journal.read()).rebuilds.some(({ id }) => id === entry.id)) throw refusal("rebuild it");
        await journal.publish(next);
        opening = Promise.resolve(next);
        const left = (await collections.list(ours)).filter((name) => name !== next.cells && name !== next.notebooks);
        await collections.drop([...left, ...(await collections.list(older)).filter((name) => !ours.test(name))]);
      } finally {
        await entry.end();
      }
    },

    /** Drops the index and every other collection with its prefix. */
    async destroy(): Promise<void> {
      const names = [...(await collections.list(ours)), ...(await collections.list(older))];
      if ((await collections.find(journal.name)) !== null) names.unshift(journal.name);
      await collections.drop([...new Set(names)]);
      forget();
    },

    /** The reason why a change of this generation must not be acknowledged; null if there is none. */
    hasMoved({ cells }: Generation, state: JournalState): string | null {
      const busy = state.rebuilds.find(({ isDead }) => !isDead);
      if (busy !== undefined) return busy.what;
      return state.current?.cells === cells ? null : "rebuild it";
    },
    refusal,
  };

  function refusal(what: string): RecommenderError {
    const message = `The index in Milvus at ${address} cannot be changed now: another process is about to ${what}. Try again when it is done.`;
    return new RecommenderError("INDEX_LOCKED", message);
  }

  function outdated(): RecommenderError {
    const message =
      `The index ${prefix} in Milvus at ${address} has the layout of an earlier celrec version. To convert it, run ` +
      "celrec export cells.parquet with that version, then celrec clear and celrec import cells.parquet with this one";
    return new RecommenderError("INDEX_MISMATCH", message);
  }

  function foreign(): RecommenderError {
    const message = `The collection ${journal.name} in Milvus at ${address} is not a celrec index; rename or remove it.`;
    return new RecommenderError("INDEX_MISMATCH", message);
  }
}
