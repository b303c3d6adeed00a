import { setTimeout as sleep } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import { createCollections } from "./milvus/collections.js";
import { createConnection, type MilvusAccess } from "./milvus/connection.js";
import { abortable, within } from "./milvus/deadline.js";
import { unavailable } from "./milvus/failure.js";
import { createGenerations } from "./milvus/generations.js";
import { createJournal, type Generation } from "./milvus/journal.js";
import { createWrites, isMoved, type RebuildConflict } from "./milvus/notebook-writes.js";
import { createQuestionStore } from "./milvus/question.js";
import { createReads } from "./milvus/reads.js";
import { createRebuild } from "./milvus/rebuild.js";
import { createSearch } from "./milvus/row-search.js";
import { TEXT } from "./milvus/rows.js";
import { createTables } from "./milvus/tables.js";
import type { IndexIdentity, Notebook, VectorStore, WriteOutcome } from "./vector-store.js";

export interface MilvusOptions extends MilvusAccess {
  readonly identity: IndexIdentity;
  /** Prefix of the names of the collections; two indexes on one server need different ones. */
  readonly prefix?: string;
  /** How long one call to Milvus may take. */
  readonly timeoutMs?: number;
  /** Up to this many rows, search is exact; beyond, it goes through a graph (HNSW). */
  readonly exactLimit?: number;
}

/** Milvus' own bound for reads at the level Bounded (`common.gracefulTime`); in practice they lag 0.2 s. */
const STALENESS_MS = 5_000;
/** Minimum number of fresh rows for a segment of their own. */
const SETTLE_ROWS = 1_000;
const NOTEBOOKS_AT_ONCE = 256;
/** Cells per batch. Even a small write takes a second on the server. */
const BATCH_CELLS = 1_000;
const WRITES_AT_ONCE = 3;
const READY_TIMEOUT_MS = 1_800;
/** How long a change waits for a process that rebuilds the index. */
const BARRIER_MS = 20_000;
const BARRIER_POLL_MS = 200;
/** How often a writing process cleans up after crashed processes. */
const SWEEP_MS = 60_000;

/**
 * An index in three collections of a Milvus server, 2.3.5 or later; any number of processes may write. One row per occurrence of a
 * cell, so that nothing is shared and a question is one call. Tested on 2.3.5 and on Milvus Lite 2.5.1; for 2.6 it is assumed that a
 * FLAT index still keeps Milvus from building an interim one, and that 100 is the code of a missing collection.
 *
 * @example
 * const store = createMilvusStore({ address: "localhost:19530", identity });
 */
export function createMilvusStore(options: MilvusOptions): VectorStore {
  const { identity, prefix = "celrec", timeoutMs = 15_000, exactLimit = 50_000, ...access } = options;
  const { address } = access;
  const connection = createConnection({ ...access, timeoutMs });
  const collections = createCollections(connection);
  const tables = createTables(connection);
  const journal = createJournal(tables, `${prefix}_index`);
  const generations = createGenerations({ collections, journal, identity, address, prefix });
  const search = createSearch({ connection, tables });
  const level = () => (Date.now() - wroteAt < STALENESS_MS ? "Strong" : "Bounded");
  const reads = createReads({ tables, level });
  const writes = createWrites({ tables, journal, generations });
  const rebuild = createRebuild({
    tables,
    generations,
    reads,
    writes,
    identity,
    exactLimit,
    stalenessMs: STALENESS_MS,
  });

  let wroteAt = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let sweeping: Promise<void> = Promise.resolve();
  let unsettled = 0;
  /** False if the server supports no graph. */
  let hasGraph = true;

  const { use } = generations;
  const read = <T>(signal: AbortSignal | undefined, action: (generation: Generation) => Promise<T>): Promise<T> =>
    abortable(signal, () => use(action));

  const sweep = () => {
    sweptAt = Date.now();
    // An error is ignored, because the next process that writes sweeps again.
    sweeping = sweeping.then(() => use((generation) => writes.sweep(generation))).catch(() => undefined);
  };

  /** Repeats a change if another process switched to a new generation meanwhile. */
  const change = async <T>(action: (generation: Generation) => Promise<T | RebuildConflict>): Promise<T> => {
    for (const start = Date.now(); ; ) {
      const result = await use(action);
      wroteAt = Date.now();
      if (!isMoved(result)) {
        if (Date.now() - sweptAt > SWEEP_MS) sweep();
        return result;
      }
      if (Date.now() - start > BARRIER_MS) throw generations.refusal(result.moved);
      generations.forget();
      await sleep(BARRIER_POLL_MS);
    }
  };
  const rebuilt = async (action: Promise<void>) => {
    await action;
    wroteAt = Date.now();
  };

  const store: VectorStore = {
    name: "milvus",
    stalenessMs: STALENESS_MS,
    batchCells: BATCH_CELLS,
    writesAtOnce: WRITES_AT_ONCE,
    async open() {
      await generations.current();
    },
    async ready() {
      try {
        await within(READY_TIMEOUT_MS, async () => {
          const { cells } = await generations.current();
          await tables.query(cells, 'id == ""', 1, { fields: ["id"], level: "Bounded" });
        });
      } catch (cause) {
        throw cause instanceof RecommenderError ? cause : unavailable(address, "answer", cause);
      }
    },
    async write(notebooks, make, signal) {
      const batch = [...new Map(notebooks.map((notebook) => [notebook.id, notebook])).values()];
      const outcomes: WriteOutcome[] = [];
      for (const some of chunks(batch, NOTEBOOKS_AT_ONCE)) {
        const outcome = await change((generation) => writes.put(generation, some, make, signal));
        unsettled += outcome.added.size;
        outcomes.push(outcome);
      }
      return merge(outcomes);
    },
    async remove(notebook) {
      const removed = await change<number>(async (generation) =>
        writes.remove(generation, await writes.headsOf(generation, [notebook])),
      );
      return removed > 0;
    },
    async removeSource(source, { isKept = () => false, signal } = {}) {
      if (signal?.aborted) return 0;
      return change<number>(async (generation) => {
        const heads = await writes.headsOfSource(generation, source);
        return writes.remove(
          generation,
          heads.filter(({ notebook }) => !isKept(notebook)),
        );
      });
    },
    missing: (ids) => use((generation) => reads.missing(generation, ids)),
    versions: (notebooks) => use((generation) => reads.versions(generation, notebooks)),
    search: (query, signal) => read(signal, (generation) => search.search(generation, query, null)),
    lexical: (query, signal) => read(signal, (generation) => search.lexical(generation, query, null)),
    forQuestion: () =>
      createQuestionStore({ store, search, generations, read: (at, ids) => reads.find(at, ids, TEXT), abortable }),
    cells: (ids, signal) => read(signal, (generation) => reads.cells(generation, ids)),
    async *scan() {
      yield* reads.scan(await generations.current());
    },
    vectors: (ids, signal) => read(signal, (generation) => reads.vectors(generation, ids)),
    provenance: (ids, exclude, signal) => read(signal, (generation) => reads.provenance(generation, ids, exclude)),
    occurrences: (id, page) => use((generation) => reads.occurrences(generation, id, page)),
    nextCells: (ids, exclude, signal) => read(signal, (generation) => reads.nextCells(generation, ids, exclude)),
    notebook: (id) => use((generation) => reads.notebook({ generation, id })),
    notebooks: (page) => use((generation) => reads.notebooks(generation, page)),
    sources: () => use((generation) => reads.sources(generation)),
    counts: () => use((generation) => reads.counts(generation)),
    rewrite: (revise) => rebuilt(rebuild.rewrite(revise)),
    async settle({ onProgress = () => {} } = {}) {
      sweep();
      await sweeping;
      if (hasGraph && (await use(rebuild.isLarge))) hasGraph = await rebuild.grow(onProgress);
      // Fresh rows are searched through the graph only when they are in a segment of their own.
      if (unsettled < SETTLE_ROWS) return;
      const { cells, notebooks } = await generations.current();
      await connection.call("flush", (client, timeout) =>
        client.flush({ collection_names: [cells, notebooks], timeout }),
      );
      unsettled = 0;
    },
    clear: () => rebuilt(rebuild.clear()),
    async destroy() {
      await sweeping;
      await generations.destroy();
    },
    async close() {
      await sweeping;
      generations.forget();
      await connection.close();
    },
  };
  return store;
}

function* chunks(notebooks: readonly Notebook[], size: number): Generator<readonly Notebook[]> {
  for (let from = 0; from < notebooks.length; from += size) yield notebooks.slice(from, from + size);
}

function merge(outcomes: readonly WriteOutcome[]): WriteOutcome {
  return {
    labels: new Map(outcomes.flatMap(({ labels }) => [...labels])),
    added: new Set(outcomes.flatMap(({ added }) => [...added])),
    replaced: new Set(outcomes.flatMap(({ replaced }) => [...replaced])),
  };
}
