import { rmSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { createBackground, createRepeat } from "./embedded/background.js";
import { createCellReads } from "./embedded/cell-reads.js";
import { CELLS, createReserve, foldLog } from "./embedded/database.js";
import { explain, withDiskErrors } from "./embedded/disk-errors.js";
import { estimateWrite, requireDiskSpace } from "./embedded/disk-space.js";
import { createLabelCodec } from "./embedded/label-bits.js";
import { EXACT_BELOW, NEAREST_LIMITS, type NearestLimits } from "./embedded/nearest.js";
import { type Index, openIndex } from "./embedded/open-index.js";
import { rewriteCells } from "./embedded/rewrite.js";
import { WRITE_LIMITS, type WriteLimits } from "./embedded/scheduled-writes.js";
import { createQuestion, createSearches } from "./embedded/searches.js";
import { SETTLE_LIMITS, type SettleLimits, settle } from "./embedded/settle.js";
import type { FileSharing } from "./embedded/snapshots.js";
import { takeSettleLock, takeWriterLock, type Writer, type WriterLock } from "./embedded/writer-lock.js";
import { KEPT_REMOVALS } from "./embedded/writes.js";
import type {
  IndexIdentity,
  MakeCells,
  NewCell,
  Notebook,
  SettleOptions,
  VectorStore,
  WriteOutcome,
} from "./vector-store.js";

/** Limits that only tests change. */
export interface EmbeddedLimits extends SettleLimits, NearestLimits, WriteLimits {
  readonly keptRemovals: number;
  /** A server settles in the background after this long without a write. */
  readonly settleAfterMs: number;
  /** How often a reader checks for writes of other processes. */
  readonly keepUpMs: number;
  readonly vectorCacheBytes: number;
}

export interface EmbeddedOptions {
  readonly folder: string;
  readonly identity: IndexIdentity;
  /** Shown to another writer that finds the index locked. */
  readonly writer: Writer;
  /** `call` frees the writer's lock after each write and settles in the background, as a server does; `session` keeps it until `close`. */
  readonly hold: "call" | "session";
  /**
   * The role of this thread: `alone` does everything. If several threads of a process share an index, one is the
   * `writer`, and the others are `reader`s, one of which settles. Readers may use slightly older data until `refresh`
   * is called. They notice writes of other processes by themselves.
   */
  readonly share?: "alone" | "writer" | "reader";
  /** Whether to create the index if there is none; true by default. */
  readonly create?: boolean;
  /** Below this many cells every search is exact; 50,000 by default. */
  readonly exactBelow?: number;
  readonly limits?: Partial<EmbeddedLimits>;
}

const LIMITS: EmbeddedLimits = {
  ...NEAREST_LIMITS,
  ...SETTLE_LIMITS,
  ...WRITE_LIMITS,
  keptRemovals: KEPT_REMOVALS,
  settleAfterMs: 10_000,
  keepUpMs: 500,
  vectorCacheBytes: 8 << 20,
};
/** Cells per batch. A commit takes milliseconds, and three batches in flight are the most that a kill can lose. */
const BATCH_CELLS = 330;
/** Notebooks removed per transaction; other work can run in between. */
const REMOVED_AT_ONCE = 200;
/** How long `ready` waits for an index that is being opened. */
const READY_TIMEOUT_MS = 1_000;

/** An index in one folder. SQLite is the source of truth. Searches use data in memory and derived files. */
export function createEmbeddedStore(options: EmbeddedOptions): VectorStore {
  const { folder, identity, writer, hold, share = "alone", create = true, exactBelow = EXACT_BELOW } = options;
  const allowsStale = share === "reader";
  const limits = { ...LIMITS, ...options.limits };
  let index: Index | null = null;
  let loading: Promise<void> | null = null;
  let isLoaded = false;
  let lock: WriterLock | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  /** A writer folds the log into the file on closing, so that a copy of the file is complete. */
  let hasWritten = false;
  let searches = createSearches(folder, limits);
  /** Indexes whose files were replaced; running queries may still use them. */
  const left: Index[] = [];
  const reserve = createReserve(folder);
  const sharing: FileSharing = { files: null };

  const use = (): Index => {
    if (index !== null) keepPlace(index);
    index ??= withDiskErrors(folder, () =>
      openIndex({
        folder,
        identity,
        create,
        exactBelow,
        keptRemovals: limits.keptRemovals,
        limits,
        allowsStale,
        sharing,
      }),
    );
    return index;
  };
  /** A write to a file that was deleted or replaced would be lost. */
  const keepPlace = (open: Index) => {
    const place = withDiskErrors(folder, open.place);
    if (place === "gone") throw indexRemoved(folder);
    if (place === "same") return;
    left.push(open);
    releaseLock();
    [index, loading, isLoaded, searches] = [null, null, false, createSearches(folder, limits)];
  };
  /** Runs a disk action and converts its errors to `RecommenderError`s. */
  const guarded = async <T>(action: () => T | Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw explain(folder, error);
    }
  };
  const read = <T>(action: (index: Index) => T | Promise<T>): Promise<T> =>
    guarded(() => {
      const open = use();
      open.check();
      return action(open);
    });
  const releaseLock = () => {
    lock?.release();
    lock = null;
  };
  /** Writes run one after another; the first one takes the writer's lock. */
  const write = <T>(action: (index: Index) => T | Promise<T>, checked = true, keepsRoom = true): Promise<T> => {
    const turn = queue.then(() =>
      guarded(async () => {
        const open = use();
        if (checked) open.check();
        lock ??= takeWriterLock(folder, writer);
        hasWritten = true;
        if (keepsRoom) reserve.keep();
        try {
          const done = await action(open);
          if (open.place() !== "same") throw indexRemoved(folder);
          return done;
        } finally {
          if (hold === "call") releaseLock();
          if (hold === "call" && share === "alone") background.later();
        }
      }),
    );
    queue = turn.catch(() => {});
    return turn;
  };
  /** Like `write`, for actions that free space: on a full disk they may use the reserve. */
  const writeLess = async <T>(action: (index: Index) => T | Promise<T>, checked = true): Promise<T> => {
    try {
      return await write(action, checked);
    } catch (error) {
      if ((error as RecommenderError).code !== "DISK_FULL") throw error;
      const lent = reserve.release();
      const makeRoom = async (open: Index) => {
        // Folding the log into the file frees space, too.
        foldLog(open.database);
        const done = await action(open);
        foldLog(open.database);
        // The reserve is recreated at once, before another process takes the space, because the next removal needs it,
        // too.
        reserve.keep(lent);
        return done;
      };
      return write(makeRoom, checked, false);
    }
  };
  /**
   * Removes notebooks. On a full disk, it halves the batch and retries, because each step frees space for the next one.
   */
  const removeAll = async (ids: readonly string[]): Promise<number> => {
    try {
      return await writeLess(({ writes }) => writes.remove(ids));
    } catch (error) {
      if ((error as RecommenderError).code !== "DISK_FULL" || ids.length < 2) throw error;
      const half = ids.length >> 1;
      return (await removeAll(ids.slice(0, half))) + (await removeAll(ids.slice(half)));
    }
  };
  const demand = ({ database }: Index, bytes: number) => requireDiskSpace(folder, database, bytes);
  const settleNow = (settleOptions: SettleOptions, threads: number): Promise<void> =>
    read(async ({ cells, words, snapshots, state }) => {
      const turn = takeSettleLock(folder);
      // Another process is settling.
      if (turn === null) return;
      try {
        const count = () => state.counts([]).cells;
        await settle(
          { folder, cells, words, snapshots, limits, threads, isSearched: hold === "call", count },
          settleOptions,
        );
      } finally {
        turn.release();
      }
    });
  const background = createBackground(limits.settleAfterMs, (signal) =>
    settleNow({ signal }, Math.max(1, limits.graphThreads - 1)),
  );
  /** Loads the writes of other processes; with `files` also their graph. */
  const refresh = (what: "rows" | "files"): Promise<void> =>
    read(async ({ cells, words }) => {
      await Promise.all([cells.current(), words.current()]);
      if (what === "files") await cells.adoptParts();
    });
  /** Refreshes in the background, so the first query after an idle hour sees the current index. */
  const keepingUp = createRepeat(limits.keepUpMs, () => refresh("files"));
  /** Loads the data of searches, so that the first search is not slower than later ones. */
  const load = () => {
    loading ??= refresh("rows")
      .then(() => {
        isLoaded = true;
        if (allowsStale) keepingUp.start();
      })
      .catch((error) => {
        loading = null;
        throw error;
      });
    return loading;
  };

  const store: VectorStore = {
    name: "embedded",
    stalenessMs: share === "alone" ? 0 : 2 * limits.keepUpMs,
    batchCells: BATCH_CELLS,
    writesAtOnce: 1,
    open: load,
    async openShared(loaded) {
      sharing.files = new Map(loaded);
      await load();
      const { files } = sharing;
      // From now on, only the users of the content keep it in memory.
      sharing.files = null;
      return files ?? new Map();
    },
    async ready() {
      if (!isLoaded) await Promise.race([load(), rejectAfterTimeout(folder)]);
      await read(() => {});
    },
    write: (notebooks, make, signal) =>
      write((open) =>
        writeNotebooks(open, notebooks, make, (made) => demand(open, estimateWrite(notebooks, made, identity)), signal),
      ),
    remove: async (notebook) => (await writeLess(({ writes }) => writes.remove([notebook]))) > 0,
    async removeSource(source, { isKept = () => false, signal } = {}) {
      const ids = (await read(({ notebooks }) => notebooks.idsOf(source))).filter((id) => !isKept(id));
      let removed = 0;
      for (let from = 0; from < ids.length && !signal?.aborted; from += REMOVED_AT_ONCE)
        removed += await removeAll(ids.slice(from, from + REMOVED_AT_ONCE));
      return removed;
    },
    missing: (ids) => read(({ reads }) => reads.missing(ids)),
    versions: (ids) => read(({ notebooks }) => notebooks.versions(ids)),
    search: (query) => read((open) => searches.search(open, query)),
    lexical: (query) => read((open) => searches.lexical(open, query)),
    forQuestion() {
      const question = createQuestion();
      let open: Index | null = null;
      // Checks only once that the index has not been replaced.
      const readOnce = <T>(action: (index: Index) => T | Promise<T>): Promise<T> =>
        open === null
          ? read((index) => {
              open = index;
              return action(index);
            })
          : guarded(() => action(open!));
      return {
        ...store,
        search: (query) => readOnce((index) => searches.search(index, query, question)),
        lexical: (query) => readOnce((index) => searches.lexical(index, query, question)),
        cells: (ids) => readOnce((index) => searches.cellsFor(index, ids, question)),
        roughVectors: (ids) => readOnce((index) => searches.roughVectors(index, ids, question)),
        profiles: (ids) => readOnce((index) => searches.profiles(index, ids, question)),
        provenance: (ids, exclude) => readOnce(({ occurrences }) => occurrences.provenance(ids, exclude)),
        notebook: (id) => readOnce(({ notebooks }) => notebooks.notebook(id)),
      };
    },
    cells: (ids) => read((open) => searches.cells(open, ids)),
    async *scan() {
      for (let last = 0; ; ) {
        const batch = await read(({ reads }) => reads.after(last));
        if (batch.length === 0) return;
        yield batch.map(({ cell }) => cell);
        last = batch.at(-1)!.row;
      }
    },
    vectors: (ids) => read((open) => searches.vectors(open, ids)),
    roughVectors: (ids) => read((open) => searches.roughVectors(open, ids)),
    profiles: (ids) => read((open) => searches.profiles(open, ids)),
    provenance: (ids, exclude) => read(({ occurrences }) => occurrences.provenance(ids, exclude)),
    occurrences: (id, page) => read(({ occurrences }) => occurrences.occurrences(id, page)),
    nextCells: (ids, exclude) => read(({ occurrences }) => occurrences.nextCells(ids, exclude)),
    notebook: (id) => read(({ notebooks }) => notebooks.notebook(id)),
    notebooks: (page) => read(({ notebooks }) => notebooks.notebooks(page)),
    sources: () => read(({ notebooks }) => notebooks.sources()),
    counts: () => read(({ state }) => state.counts(identity.labels)),
    rewrite: (revise) =>
      write(async (open) => {
        const { database, codec, state } = open;
        const old = state.identity();
        const stored = createCellReads(database, folder, createLabelCodec(old.labels), old.dimensions);
        await rewriteCells(database, stored, codec, identity, revise, (bytes) => demand(open, bytes));
      }, false),
    refresh,
    settle: (settleOptions = {}) =>
      settleNow(settleOptions, allowsStale ? Math.max(1, limits.graphThreads - 1) : limits.graphThreads),
    clear: () => writeLess(({ writes }) => writes.clear(), false),
    async destroy() {
      await this.close();
      rmSync(folder, { recursive: true, force: true });
    },
    async close() {
      await queue;
      await keepingUp.stop();
      await background.stop();
      const opened = [...left.splice(0), ...(index === null ? [] : [index])];
      for (const { writes } of opened) await writes.close();
      if (hasWritten && index !== null) foldLog(index.database);
      releaseLock();
      for (const { database } of opened) database.close();
      index = null;
      loading = null;
      isLoaded = false;
      searches.forget();
    },
  };
  return store;
}

function indexRemoved(folder: string): RecommenderError {
  return new RecommenderError(
    "STORE_UNAVAILABLE",
    `The index in ${folder} was removed while it was in use: ${CELLS} is missing. Restore it, or restart to create a new index.`,
  );
}

async function rejectAfterTimeout(folder: string): Promise<never> {
  await after(READY_TIMEOUT_MS, null, { ref: false });
  throw new RecommenderError("STORE_UNAVAILABLE", `The index in ${folder} is still being opened.`);
}

/** Makes missing cells inside the write queue, so no other write can come in between. */
async function writeNotebooks(
  { reads, writes }: Index,
  notebooks: readonly Notebook[],
  make: MakeCells,
  check: (made: readonly NewCell[]) => void,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const batch = [...new Map(notebooks.map((notebook) => [notebook.id, notebook])).values()];
  const ids = [...new Set(batch.flatMap(({ cells }) => cells.map(({ id }) => id)))];
  const made = await make([...reads.missing(ids)]);
  signal?.throwIfAborted();
  check(made);
  return writes.put(batch, made);
}
