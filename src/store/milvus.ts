import { RecommenderError } from "../errors.js";
import { createAmongNotebooks } from "./milvus/among-notebooks.js";
import { createCellCache } from "./milvus/cell-cache.js";
import { createCollections } from "./milvus/collections.js";
import { createCollector } from "./milvus/collector.js";
import { createConnection } from "./milvus/connection.js";
import { abortable, within } from "./milvus/deadline.js";
import { unavailable } from "./milvus/failure.js";
import { createGenerations, type Generation } from "./milvus/generations.js";
import { createGrowth } from "./milvus/growth.js";
import { createHiddenAmong } from "./milvus/hidden.js";
import { createJobs } from "./milvus/jobs.js";
import { createJournal } from "./milvus/journal.js";
import { createLeases } from "./milvus/lease.js";
import { createOccurrences } from "./milvus/occurrences.js";
import { createMortality } from "./milvus/pulse.js";
import { createReads } from "./milvus/reads.js";
import { createRebuild } from "./milvus/rebuild.js";
import { createRewrite } from "./milvus/rewrite.js";
import { CELL_FIELDS, type CellRow, toStoredCell } from "./milvus/rows.js";
import { createSearch } from "./milvus/search.js";
import { createSession } from "./milvus/session.js";
import { createTables } from "./milvus/tables.js";
import { createTidy } from "./milvus/tidy.js";
import { createTrash } from "./milvus/trash.js";
import { createVisibility } from "./milvus/visibility.js";
import { createWords } from "./milvus/words.js";
import { createWrites, type Done, isMoved, type Moved } from "./milvus/writes.js";
import type { IndexIdentity, Notebook, VectorStore, WriteOutcome } from "./vector-store.js";

export interface MilvusOptions {
  /** HOST:PORT */
  readonly address: string;
  readonly identity: IndexIdentity;
  /** What the names of the collections begin with; two indexes on one server need different ones. */
  readonly prefix?: string;
  /** How long one call to Milvus may take. */
  readonly timeoutMs?: number;
  /** Up to this many cells, search is exact; beyond, it goes through a graph (HNSW). */
  readonly exactLimit?: number;
  /** A process that gave no sign of life for this long counts as dead, and others finish its work. Longer than a call may take. */
  readonly patienceMs?: number;
}

/** Milvus' own bound for reads at the level Bounded (`common.gracefulTime`); in practice they lag 0.2 s. */
const STALENESS_MS = 5_000;
/** 256 cells of the largest size are 30 MB. */
const SCAN_ROWS = 256;
/** Fewer fresh rows than this are not worth a segment of their own. */
const SETTLE_ROWS = 1_000;
const NOTEBOOKS_AT_ONCE = 256;
/** A write waits a second for the server, however little it brings. */
const BATCH_CELLS = 1_000;
const READY_MS = 1_800;
/** How long a change waits for somebody who rebuilds the index. */
const BARRIER_MS = 20_000;
const BARRIER_LOOK_MS = 200;

/**
 * An index in three collections of a Milvus server, 2.3.5 or later; any number of processes may write. Tested on 2.3.5 and on
 * Milvus Lite 2.5.1; for 2.6 it is assumed that a FLAT index still keeps Milvus from building an interim one, that limited queries
 * come in the order of the primary key, and that 100 is the code of a missing collection.
 *
 * @example
 * const store = createMilvusStore({ address: "localhost:19530", identity });
 */
export function createMilvusStore(options: MilvusOptions): VectorStore {
  const { address, identity, prefix = "celrec", timeoutMs = 15_000, exactLimit = 50_000 } = options;
  const connection = createConnection({ address, timeoutMs });
  const collections = createCollections(connection);
  const tables = createTables(connection);
  const journal = createJournal(tables, `${prefix}_journal`);
  const mortality = createMortality(options.patienceMs ?? 30_000);
  const leases = createLeases(journal, mortality, address);
  const generations = createGenerations({ collections, tables, journal, address, prefix });
  const session = createSession({ collections, generations, leases, identity, address, prefix });
  const visibility = createVisibility(tables);
  const hiddenAmong = createHiddenAmong(visibility);
  const cache = createCellCache(STALENESS_MS);
  const amongNotebooks = createAmongNotebooks({ tables, journal, visibility });
  const search = createSearch({ connection, tables, journal, hiddenAmong, cache, amongNotebooks });
  const words = createWords({ connection, journal, hiddenAmong, amongNotebooks });
  const level = () => (Date.now() - wroteAt < STALENESS_MS ? "Strong" : "Bounded");
  const reads = createReads({ tables, journal, visibility, cache, level });
  const occurrences = createOccurrences({ tables, journal, visibility, level });
  const writes = createWrites({ tables, journal, leases, mortality });
  const tidy = createTidy({ tables, journal, visibility, writes });
  const trash = createTrash(tables, journal);
  const collector = createCollector({ tables, journal, visibility, mortality, tidy, trash });
  const grow = createGrowth(tables, generations, collector);
  const jobs = createJobs({
    session,
    journal,
    mortality,
    generations,
    tables,
    leases,
    tidy,
    collector,
    grow,
    exactLimit,
  });
  const rewrites = createRewrite(tables, generations);
  const rebuild = createRebuild({
    collections,
    tables,
    journal,
    generations,
    session,
    leases,
    collector,
    rewrites,
    jobs,
    identity,
    prefix,
    exactLimit,
  });

  let wroteAt = Number.NEGATIVE_INFINITY;
  let unsettled = 0;

  const { use } = session;
  const read = <T>(signal: AbortSignal | undefined, action: (generation: Generation) => Promise<T>): Promise<T> =>
    abortable(signal, () => use(action));

  /** Repeats a change that came in between two generations, until there is one that stays. */
  const change = async <T>(
    action: (generation: Generation) => Promise<Done<T> | Moved>,
    countAdded: (result: T) => number = () => 0,
  ): Promise<T> => {
    for (const start = Date.now(); ; ) {
      const done = await use(action);
      wroteAt = Date.now();
      if (!isMoved(done)) {
        jobs.start();
        jobs.follow(done, countAdded(done.result));
        return done.result;
      }
      if (Date.now() - start > BARRIER_MS) throw leases.refusal(done.moved);
      session.forget();
      await new Promise((resolve) => setTimeout(resolve, BARRIER_LOOK_MS));
    }
  };
  const rebuilt = async (action: Promise<void>) => {
    await action;
    wroteAt = Date.now();
  };

  return {
    name: "milvus",
    stalenessMs: STALENESS_MS,
    batchCells: BATCH_CELLS,
    async open() {
      await session.current();
      jobs.start();
    },
    async ready() {
      try {
        await within(READY_MS, async () => {
          const { cells } = await session.current();
          await tables.count(cells, 'id == ""', "Bounded");
        });
      } catch (cause) {
        throw cause instanceof RecommenderError ? cause : unavailable(address, "answer", cause);
      }
    },
    async write(notebooks, make, signal) {
      const batch = [...new Map(notebooks.map((notebook) => [notebook.id, notebook])).values()];
      const outcomes: WriteOutcome[] = [];
      for (const some of chunks(batch, NOTEBOOKS_AT_ONCE)) {
        const outcome = await change(
          (generation) => writes.put(generation, some, make, signal),
          ({ added }) => added.size,
        );
        unsettled += outcome.added.size;
        outcomes.push(outcome);
      }
      return merge(outcomes);
    },
    remove: async (notebook) => (await change((generation) => writes.remove(generation, [notebook]))) > 0,
    async removeSource(source, { isKept = () => false, signal } = {}) {
      const ids = (await use((generation) => reads.idsOf(generation, source))).filter((id) => !isKept(id));
      let removed = 0;
      for (let from = 0; from < ids.length && !signal?.aborted; from += NOTEBOOKS_AT_ONCE) {
        const some = ids.slice(from, from + NOTEBOOKS_AT_ONCE);
        removed += await change((generation) => writes.remove(generation, some));
      }
      return removed;
    },
    missing: (ids) => use((generation) => reads.missing(generation, ids)),
    versions: (notebooks) => use((generation) => reads.versions(generation, notebooks)),
    search: (query, signal) => read(signal, (generation) => search(generation, query)),
    lexical: (query, signal) => read(signal, (generation) => words(generation, query)),
    cells: (ids, signal) => read(signal, (generation) => reads.cells(generation, ids)),
    async *scan() {
      const { cells } = await session.current();
      const selection = { fields: CELL_FIELDS, level: "Bounded" as const };
      for await (const rows of tables.pages<CellRow>(cells, "", SCAN_ROWS, selection)) {
        const batch = rows.map(toStoredCell);
        for (const cell of batch) cache.putCell(cells, cell);
        yield batch;
      }
    },
    vectors: (ids, signal) => read(signal, (generation) => reads.vectors(generation, ids)),
    provenance: (ids, exclude, signal) =>
      read(signal, (generation) => occurrences.provenance(generation, ids, exclude)),
    occurrences: (id, page) => use((generation) => occurrences.page(generation, id, page)),
    nextCells: (ids, exclude, signal) => read(signal, (generation) => occurrences.followers(generation, ids, exclude)),
    notebook: (id) => use((generation) => reads.notebook(generation, id)),
    notebooks: (page) => use((generation) => reads.notebooks(generation, page)),
    sources: () => use((generation) => reads.sources(generation)),
    counts: () => use((generation) => reads.counts(generation)),
    rewrite: (revise) => rebuilt(rebuild.rewrite(revise)),
    async settle({ onProgress } = {}) {
      await jobs.settle(onProgress);
      // Fresh rows are searched through the graph only once they are in a segment of their own.
      if (unsettled < SETTLE_ROWS) return;
      const { cells, occurrences } = await session.current();
      await connection.call("flush", (client, timeout) =>
        client.flush({ collection_names: [cells, occurrences], timeout }),
      );
      unsettled = 0;
    },
    clear: () => rebuilt(rebuild.clear()),
    async destroy() {
      await jobs.close();
      await generations.destroy();
      session.forget();
    },
    async close() {
      await jobs.close();
      session.forget();
      await connection.close();
    },
  };
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
