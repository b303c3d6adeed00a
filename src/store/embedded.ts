import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as after } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { createBackground } from "./embedded/background.js";
import { createCellReads } from "./embedded/cell-reads.js";
import { damaged, explain, guard } from "./embedded/guard.js";
import { toBytes } from "./embedded/hex-id.js";
import { createLabelCodec } from "./embedded/label-bits.js";
import { EXACT_BELOW, findNearest, NEAREST_LIMITS, type NearestLimits } from "./embedded/nearest.js";
import { type Index, openIndex } from "./embedded/open-index.js";
import { rewriteCells } from "./embedded/rewrite.js";
import { SETTLE_LIMITS, type SettleLimits, settle } from "./embedded/settle.js";
import { createVectorCache } from "./embedded/vector-cache.js";
import { takeSettleLock, takeWriterLock, type Writer, type WriterLock } from "./embedded/writer-lock.js";
import { KEPT_REMOVALS } from "./embedded/writes.js";
import type {
  Hit,
  IndexIdentity,
  LexicalQuery,
  MakeCells,
  Notebook,
  SearchQuery,
  SettleOptions,
  StoredCell,
  VectorStore,
  WriteOutcome,
} from "./vector-store.js";

/** What a test needs small, and nobody else needs to know. */
export interface EmbeddedLimits extends SettleLimits, NearestLimits {
  readonly keptRemovals: number;
  /** A server that was written to settles by itself when this long nothing more came. */
  readonly settleAfterMs: number;
  readonly vectorCacheBytes: number;
}

export interface EmbeddedOptions {
  readonly folder: string;
  readonly identity: IndexIdentity;
  /** Who to name to another writer. */
  readonly writer: Writer;
  /** `call` frees the writer's lock after each write and settles in the background, as a server does; `session` keeps it until `close`. */
  readonly hold: "call" | "session";
  /** Whether an index is made where there is none; true unless told. */
  readonly create?: boolean;
  /** Below this many cells every search is exact; 50,000 unless told. */
  readonly exactBelow?: number;
  readonly limits?: Partial<EmbeddedLimits>;
}

const LIMITS: EmbeddedLimits = {
  ...NEAREST_LIMITS,
  ...SETTLE_LIMITS,
  keptRemovals: KEPT_REMOVALS,
  settleAfterMs: 10_000,
  vectorCacheBytes: 32 << 20,
};
/** How long `ready` waits for an index that is being opened. */
const READY_MS = 200;

/** An index in one folder: SQLite is the truth; what searches need is in memory and in files that are derived from it. */
export function createEmbeddedStore(options: EmbeddedOptions): VectorStore {
  const { folder, identity, writer, hold, create = true, exactBelow = EXACT_BELOW } = options;
  const limits = { ...LIMITS, ...options.limits };
  let index: Index | null = null;
  let loading: Promise<void> | null = null;
  let lock: WriterLock | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  const cache = createVectorCache(limits.vectorCacheBytes);

  const use = (): Index => {
    index ??= guard(folder, () =>
      openIndex({ folder, identity, create, exactBelow, keptRemovals: limits.keptRemovals }),
    );
    return index;
  };
  /** Runs what touches the disk, and turns its errors into ours. */
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
  const write = <T>(action: (index: Index) => T | Promise<T>, checked = true): Promise<T> => {
    const turn = queue.then(() =>
      guarded(async () => {
        const open = use();
        if (checked) open.check();
        lock ??= takeWriterLock(folder, writer);
        try {
          return await action(open);
        } finally {
          if (hold === "call") releaseLock();
          if (hold === "call") background.later();
        }
      }),
    );
    queue = turn.catch(() => {});
    return turn;
  };
  const settleNow = (asked: SettleOptions, threads: number): Promise<void> =>
    read(async ({ cells, words, snapshots }) => {
      const turn = takeSettleLock(folder);
      // Another process is at it.
      if (turn === null) return;
      try {
        await settle({ folder, cells, words, snapshots, limits, threads }, asked);
      } finally {
        turn.release();
      }
    });
  const background = createBackground(limits.settleAfterMs, (signal) =>
    settleNow({ signal }, Math.max(1, availableParallelism() - 1)),
  );
  /** Everything that a search needs, so that the first one is as fast as the hundredth. */
  const load = () => {
    loading ??= read(async ({ cells, words }) => {
      await Promise.all([cells.current(), words.current()]);
    }).catch((error) => {
      loading = null;
      throw error;
    });
    return loading;
  };

  const search = ({ vector, k, filter }: SearchQuery): Promise<Hit[]> =>
    read(async ({ cells, codec, reads }) => {
      const { table, graph } = await cells.current();
      const vectors = (rows: readonly number[]) => cache.through(rows, reads.vectors);
      return findNearest({ table, graph, vectors, limits }, { vector, k, passes: codec.compile(filter) });
    });
  const lexical = ({ words: wanted, k, filter }: LexicalQuery): Promise<Hit[]> =>
    read(async ({ cells, words, codec }) => {
      const held = await words.current();
      const { table } = await cells.current();
      const passes = codec.compile(filter);
      const accepts = (row: number) => {
        const slot = table.slotOf(row);
        return slot !== -1 && table.accepts(slot, passes);
      };
      const found = held.search({ words: wanted, k, accepts });
      return found.map(({ row, score }) => ({ id: table.idOf(table.slotOf(row)), score }));
    });

  return {
    name: "embedded",
    stalenessMs: 0,
    open: load,
    async ready() {
      const late = new RecommenderError("STORE_UNAVAILABLE", `The index in ${folder} is still being opened.`);
      const waiting = new AbortController();
      const timer = after(READY_MS, null, { signal: waiting.signal }).then(() => Promise.reject(late));
      try {
        await Promise.race([load(), timer]);
        await read(() => {});
      } finally {
        timer.catch(() => {});
        waiting.abort();
      }
    },
    write: (notebooks, make, signal) => write((open) => writeNotebooks(open, notebooks, make, signal)),
    remove: (notebook) => write(({ writes }) => writes.remove(notebook)),
    missing: (ids) => read(({ reads }) => reads.missing(ids)),
    versions: (ids) => read(({ notebooks }) => notebooks.versions(ids)),
    search,
    lexical,
    cells: (ids) => read((open) => readCells(open, folder, ids)),
    async *scan() {
      for (let last = 0; ; ) {
        const batch = await read(({ reads }) => reads.after(last));
        if (batch.length === 0) return;
        yield batch.map(({ cell }) => cell);
        last = batch.at(-1)!.row;
      }
    },
    vectors: (ids) =>
      read(async ({ cells, reads }) => {
        const { table } = await cells.current();
        const known = ids.flatMap((id) => {
          const slot = table.slotOfId(toBytes(id) ?? NOTHING);
          return slot === -1 ? [] : [{ id, slot }];
        });
        const vectors =
          table.precision === "float"
            ? known.map(({ slot }) => table.vectorOf(slot) as Float32Array)
            : cache.through(
                known.map(({ slot }) => table.rowOf(slot)),
                reads.vectors,
              );
        return copyVectors(
          known.map(({ id }) => id),
          vectors,
          identity.dimensions,
        );
      }),
    provenance: (ids, exclude) => read(({ occurrences }) => occurrences.provenance(ids, exclude)),
    occurrences: (id, page) => read(({ occurrences }) => occurrences.occurrences(id, page)),
    followers: (ids, exclude) => read(({ occurrences }) => occurrences.followers(ids, exclude)),
    notebook: (id) => read(({ notebooks }) => notebooks.notebook(id)),
    notebooks: (page) => read(({ notebooks }) => notebooks.notebooks(page)),
    counts: () => read(({ state }) => state.counts(identity.labels)),
    rewrite: (revise) =>
      write(async ({ database, codec, state }) => {
        const old = state.identity();
        const stored = createCellReads(database, folder, createLabelCodec(old.labels), old.dimensions);
        await rewriteCells(database, stored, codec, identity, revise);
        cache.clear();
      }, false),
    settle: (asked = {}) => settleNow(asked, availableParallelism()),
    clear: () =>
      write(({ writes }) => {
        writes.clear();
        cache.clear();
      }, false),
    async destroy() {
      await this.close();
      rmSync(folder, { recursive: true, force: true });
    },
    async close() {
      await queue;
      await background.stop();
      releaseLock();
      index?.database.close();
      index = null;
      loading = null;
      cache.clear();
    },
  };
}

const NOTHING = Buffer.alloc(32);

/** A cell that is there by its row, and is not found by its id, has not gone: the database is damaged. */
async function readCells({ reads, cells }: Index, folder: string, ids: readonly string[]): Promise<StoredCell[]> {
  const found = reads.cells(ids);
  if (found.length === ids.length) return found;
  const { table } = await cells.current();
  const again = reads.cells(ids);
  const known = new Set(again.map(({ id }) => id));
  const lost = ids.find((id) => !known.has(id) && table.slotOfId(toBytes(id) ?? NOTHING) !== -1);
  if (lost !== undefined) throw damaged(folder, `the cell ${lost} is not found by its id`);
  return again;
}

/** Nobody can change what is kept here. One buffer for all: a hundred small ones take longer to get than to fill. */
function copyVectors(
  ids: readonly string[],
  vectors: readonly (Float32Array | null)[],
  dimensions: number,
): Map<string, Float32Array> {
  const copies = new Float32Array(ids.length * dimensions);
  const found = new Map<string, Float32Array>();
  for (const [at, id] of ids.entries()) {
    const vector = vectors[at] ?? null;
    if (vector === null) continue;
    const copy = copies.subarray(at * dimensions, (at + 1) * dimensions);
    copy.set(vector);
    found.set(id, copy);
  }
  return found;
}

/** Asks what is missing in its own turn, so that no other write comes between the question and the answer. */
async function writeNotebooks(
  { reads, writes }: Index,
  notebooks: readonly Notebook[],
  make: MakeCells,
  signal?: AbortSignal,
): Promise<WriteOutcome> {
  const batch = [...new Map(notebooks.map((notebook) => [notebook.id, notebook])).values()];
  const ids = [...new Set(batch.flatMap(({ cells }) => cells.map(({ id }) => id)))];
  const made = await make([...reads.missing(ids)]);
  signal?.throwIfAborted();
  return writes.put(batch, made);
}
