import { rmSync } from "node:fs";
import { type Database, guard, openDatabase } from "./embedded/database.js";
import { checkIdentity, readIdentity, writeIdentity } from "./embedded/identity.js";
import { createLabelCodec } from "./embedded/label-bits.js";
import { EXACT_BELOW } from "./embedded/nearest.js";
import { createReads } from "./embedded/reads.js";
import { createResident, type IndexState } from "./embedded/resident.js";
import { createStoredCells } from "./embedded/stored-cells.js";
import { takeWriterLock, type Writer, type WriterLock } from "./embedded/writer-lock.js";
import { createWrites } from "./embedded/writes.js";
import type { IndexIdentity, MakeCells, Notebook, VectorStore, WriteOutcome } from "./vector-store.js";

export interface EmbeddedOptions {
  readonly folder: string;
  readonly identity: IndexIdentity;
  /** Who to name to another writer. */
  readonly writer: Writer;
  /** `call` frees the writer's place after each write, as a server does; `session` keeps it until `close`. */
  readonly hold: "call" | "session";
  /** Below this many cells every search is exact; 50,000 unless told. */
  readonly exactBelow?: number;
}

/** An index in one folder: SQLite is the truth, vectors in memory and a usearch graph are derived from it. */
export function createEmbeddedStore({
  folder,
  identity,
  writer,
  hold,
  exactBelow = EXACT_BELOW,
}: EmbeddedOptions): VectorStore {
  let opened: ReturnType<typeof open> | null = null;
  let lock: WriterLock | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  const use = () => {
    opened ??= guard(folder, () => open(folder, identity, exactBelow));
    return opened;
  };
  const read = async <T>(action: (index: ReturnType<typeof open>) => T): Promise<T> =>
    guard(folder, () => {
      const index = use();
      index.follow();
      return action(index);
    });
  /** Writes run one after another; the first one takes the writer's place. */
  const write = <T>(action: (index: ReturnType<typeof open>) => T | Promise<T>, checked = true): Promise<T> => {
    const turn = queue.then(async () => {
      const index = use();
      if (checked) guard(folder, index.follow);
      lock ??= guard(folder, () => takeWriterLock(folder, writer));
      try {
        return await action(index);
      } catch (error) {
        return guard(folder, () => {
          throw error;
        });
      } finally {
        index.touch();
        if (hold === "call") releaseLock();
      }
    });
    queue = turn.catch(() => {});
    return turn;
  };
  const releaseLock = () => {
    lock?.release();
    lock = null;
  };

  return {
    name: "embedded",
    stalenessMs: 0,
    open: () => read(() => {}),
    ready: () => read(({ resident, state }) => resident.check(state())),
    write: (notebooks, make, signal) => write((index) => writeNotebooks(index, notebooks, make, signal)),
    remove: (notebook) => write(({ writes }) => writes.remove(notebook)),
    missing: (ids) => read(({ reads }) => reads.missing(ids)),
    versions: (notebooks) => read(({ reads }) => reads.versions(notebooks)),
    search: ({ vector, k, filter }) => read(({ resident, state }) => resident.search(state(), vector, k, filter)),
    lexical: ({ words, k, filter }) => read(({ resident, state }) => resident.lexical(state(), words, k, filter)),
    cells: (ids) => read(({ reads }) => reads.cells(ids)),
    async *scan() {
      const stored = await read(({ database }) => createStoredCells(database));
      for (let batch = stored.after(0); batch.length > 0; batch = stored.after(batch.at(-1)!.row)) {
        yield batch.map(({ cell }) => cell);
      }
    },
    vectors: (ids) => read(({ resident, state }) => resident.vectors(state(), ids)),
    provenance: (ids, exclude) => read(({ reads }) => reads.provenance(ids, exclude)),
    occurrences: (id, page) => read(({ reads }) => reads.occurrences(id, page)),
    followers: (ids, exclude) => read(({ reads }) => reads.followers(ids, exclude)),
    notebook: (id) => read(({ reads }) => reads.notebook(id)),
    notebooks: (page) => read(({ reads }) => reads.notebooks(page)),
    counts: () => read(({ reads }) => reads.counts()),
    rewrite: (revise) => write(({ writes }) => writes.rewrite(revise), false),
    settle: () => write(({ resident, state }) => resident.settle(state())),
    clear: () => write(({ writes }) => writes.clear(), false),
    async destroy() {
      await this.close();
      rmSync(folder, { recursive: true, force: true });
    },
    async close() {
      await queue;
      releaseLock();
      opened?.resident.stop();
      opened?.database.close();
      opened = null;
    },
  };
}

/** Asks what is missing in its own turn, so that no other write comes between the question and the answer. */
async function writeNotebooks(
  { reads, writes }: ReturnType<typeof open>,
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

function open(folder: string, identity: IndexIdentity, exactBelow: number) {
  const database: Database = openDatabase(folder);
  const codec = createLabelCodec(identity.labels);
  if (readIdentity(database) === null) {
    // Two processes may make the index at once; the second finds the first one's.
    database
      .transaction(() => {
        if (readIdentity(database) === null) writeIdentity(database, identity);
      })
      .immediate();
  }
  const version = database.prepare("pragma data_version").raw();
  let seen: number | null = null;
  let state: IndexState = { generation: "", changes: 0 };

  return {
    database,
    reads: createReads(database, codec, identity),
    writes: createWrites(database, codec, identity),
    resident: createResident(database, folder, identity.dimensions, codec, exactBelow),
    state: () => state,
    /** This connection's own commits do not change the version that it sees. */
    touch() {
      seen = null;
    },
    /** Notices what was committed, by any process. */
    follow() {
      const [now] = version.get() as [number];
      if (now === seen) return;
      const current = readIdentity(database)!;
      checkIdentity(folder, current.identity, identity);
      state = { generation: current.generation, changes: state.changes + 1 };
      seen = now;
    },
  };
}
