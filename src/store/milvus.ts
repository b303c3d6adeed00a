import { RecommenderError } from "../errors.js";
import { describeMismatch } from "./identity.js";
import { createConnection } from "./milvus/connection.js";
import { createGenerations, type Generation } from "./milvus/generations.js";
import { createReads } from "./milvus/reads.js";
import { createRewrite } from "./milvus/rewrite.js";
import { CELL_FIELDS, type CellRow, toStoredCell } from "./milvus/rows.js";
import { createSearch } from "./milvus/search.js";
import { createTables } from "./milvus/tables.js";
import { createWrites } from "./milvus/writes.js";
import type { IndexIdentity, MakeCells, Notebook, VectorStore, WriteOutcome } from "./vector-store.js";

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
}

/** Milvus' own bound for reads at the level Bounded (`common.gracefulTime`); in practice they lag 0.2 s. */
const STALENESS_MS = 5_000;
/** 256 cells of the largest size are 30 MB. */
const SCAN_ROWS = 256;
/** Fewer fresh rows than this are not worth a segment of their own. */
const SETTLE_ROWS = 1_000;

/**
 * An index in two collections of a Milvus server, 2.3.5 or later. Tested on 2.3.5; for 2.6 it is assumed that a FLAT
 * index still keeps Milvus from building an interim one, that limited queries come in the order of the primary key, and
 * that 100 is the code of a missing collection.
 *
 * @example
 * const store = createMilvusStore({ address: "localhost:19530", identity });
 */
export function createMilvusStore(options: MilvusOptions): VectorStore {
  const { address, identity, prefix = "celrec", timeoutMs = 20_000, exactLimit = 50_000 } = options;
  const connection = createConnection({ address, timeoutMs });
  const tables = createTables(connection);
  const generations = createGenerations({ connection, address, prefix });
  const search = createSearch(connection, tables);
  const writes = createWrites(tables);
  const rewrites = createRewrite(tables, generations);
  const reads = createReads(tables, () => (Date.now() - wroteAt < STALENESS_MS ? "Strong" : "Bounded"));

  let opening: Promise<Generation> | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let wroteAt = Number.NEGATIVE_INFINITY;
  let unsettled = 0;

  const current = (): Promise<Generation> => {
    const attempt = opening ?? findOrCreate();
    opening = attempt;
    attempt.catch(() => forget(attempt));
    return attempt;
  };
  const forget = (attempt: Promise<Generation>) => {
    if (opening === attempt) opening = null;
  };

  const findOrCreate = async (): Promise<Generation> => {
    const found = (await generations.find()) ?? (await createFirst());
    const mismatch = describeMismatch(`The index ${prefix} in Milvus at ${address}`, found.identity, identity);
    if (mismatch !== null) throw mismatch;
    return found;
  };

  const createFirst = async (): Promise<Generation> => {
    const made = await generations.create(identity, true);
    try {
      await generations.publish(made, true);
      return made;
    } catch (error) {
      const other = await generations.find();
      await generations.drop([made.cells, made.occurrences]);
      if (other === null) throw error;
      return other;
    }
  };

  /** A process that rewrote or emptied the index dropped the collections known here, so a failure is looked into once. */
  const use = async <T>(action: (generation: Generation) => Promise<T>): Promise<T> => {
    const attempt = current();
    const generation = await attempt;
    try {
      return await action(generation);
    } catch (error) {
      if (!(error instanceof RecommenderError)) throw error;
      forget(attempt);
      const now = await current();
      if (now.cells === generation.cells) throw error;
      return action(now);
    }
  };

  /** Changes run one after another. */
  const change = <T>(action: () => Promise<T>): Promise<T> => {
    const turn = queue.then(action).finally(() => {
      wroteAt = Date.now();
    });
    queue = turn.catch(() => undefined);
    return turn;
  };

  const put = async (
    generation: Generation,
    notebooks: readonly Notebook[],
    make: MakeCells,
    signal?: AbortSignal,
  ): Promise<WriteOutcome> => {
    const batch = [...new Map(notebooks.map((notebook) => [notebook.id, notebook])).values()];
    const ids = [...new Set(batch.flatMap(({ cells }) => cells.map(({ id }) => id)))];
    const known = await reads.labels(generation, ids);
    const made = await make(ids.filter((id) => !known.has(id)));
    signal?.throwIfAborted();
    const labels = new Map([...known, ...made.map((cell) => [cell.id, cell.labels] as const)]);
    const replaced = new Set(
      (
        await reads.versions(
          generation,
          batch.map(({ id }) => id),
        )
      ).keys(),
    );
    await writes.put(
      generation,
      batch.map((notebook) => {
        const cells = notebook.cells.filter(({ id }) => labels.has(id));
        return { ...notebook, cells, skipped: notebook.skipped + notebook.cells.length - cells.length };
      }),
      made,
    );
    return { labels, added: new Set(made.map(({ id }) => id)), replaced };
  };

  const replaceBy = (next: Generation) => {
    opening = Promise.resolve(next);
  };

  const growIfLarge = async (generation: Generation) => {
    if (!generation.exact || (await tables.count(generation.cells, "", "Bounded")) <= exactLimit) return;
    replaceBy(await rewrites.withGraph(generation));
  };

  return {
    name: "milvus",
    stalenessMs: STALENESS_MS,
    open: async () => void (await current()),
    ready: async () => void (await tables.count((await current()).cells, 'id == ""', "Bounded")),
    write: (notebooks, make, signal) =>
      change(async () => {
        const outcome = await use((generation) => put(generation, notebooks, make, signal));
        unsettled += outcome.added.size;
        await growIfLarge(await current());
        return outcome;
      }),
    remove: (notebook) => change(() => use((generation) => writes.remove(generation, notebook))),
    missing: async (ids) => {
      const known = await use((generation) => reads.labels(generation, ids));
      return new Set(ids.filter((id) => !known.has(id)));
    },
    versions: (notebooks) => use((generation) => reads.versions(generation, notebooks)),
    search: (query) => use((generation) => search(generation, query)),
    // Milvus before 2.5 has no search by words; the recommender takes more candidates by vector instead.
    lexical: async () => null,
    cells: (ids) => use((generation) => reads.cells(generation, ids)),
    async *scan() {
      const { cells } = await current();
      const selection = { fields: CELL_FIELDS, level: "Bounded" as const };
      for await (const rows of tables.pages<CellRow>(cells, "", SCAN_ROWS, selection)) yield rows.map(toStoredCell);
    },
    vectors: (ids) => use((generation) => reads.vectors(generation, ids)),
    provenance: (ids, exclude) => use((generation) => reads.provenance(generation, ids, exclude)),
    occurrences: (id, page) => use((generation) => reads.occurrences(generation, id, page)),
    followers: (ids, exclude) => use((generation) => reads.followers(generation, ids, exclude)),
    notebook: (id) => use((generation) => reads.notebook(generation, id)),
    notebooks: (page) => use((generation) => reads.notebooks(generation, page)),
    counts: () => use((generation) => reads.counts(generation)),
    rewrite: (revise) =>
      change(async () => {
        const old = await generations.find();
        if (old === null) return void (await current());
        const exact = (await tables.count(old.cells, "", "Strong")) <= exactLimit;
        replaceBy(await rewrites.revise(old, identity, exact, revise));
      }),
    settle: () =>
      change(async () => {
        // Fresh rows are searched through the graph only once they are in a segment of their own.
        if (unsettled < SETTLE_ROWS) return;
        const { cells, occurrences } = await current();
        await connection.call("flush", (client, timeout) =>
          client.flush({ collection_names: [cells, occurrences], timeout }),
        );
        unsettled = 0;
      }),
    clear: () =>
      change(async () => {
        const old = await generations.find();
        const next = await generations.create(identity, true);
        await generations.publish(next, old === null);
        await generations.sweep(next);
        replaceBy(next);
      }),
    destroy: () =>
      change(async () => {
        await generations.destroy();
        opening = null;
      }),
    async close() {
      await queue;
      opening = null;
      await connection.close();
    },
  };
}
