import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import { ingestCorpus } from "../ingest/ingest-corpus.js";
import { openLedger } from "../ingest/ledger.js";
import {
  addStep,
  type CorpusReport,
  type CorpusStep,
  NO_TOTALS,
  type RejectedEntry,
  type Totals,
} from "../ingest/report.js";
import { idOf, isInShard, type Shard, takeShard } from "../ingest/screen.js";
import { createInlineWorkers, type Workers } from "../ingest/workers.js";
import type { Corpus, CorpusItem, OpenedCorpus } from "../notebook/corpus/entry.js";
import { makeFolders } from "../notebook/file-system.js";
import type { SettleProgress, VectorStore } from "../store/vector-store.js";
import type { AskDeps } from "./deps.js";

/** Receives the progress: first of reading, then of the store's derived data. */
export interface IndexProgress {
  reading(totals: Totals): void;
  settling(progress: SettleProgress): void;
  /** The number of files (null if unknown), and the number of cells that the index already has. */
  expect(files: number | null, cells: number): void;
  end(): void;
}

interface IndexDeps extends Pick<AskDeps, "store" | "labeller" | "embedder"> {
  readonly config: Pick<Config, "data">;
  readonly workers: Workers;
}

interface IndexOptions {
  readonly shard?: Shard;
  /** Remove notebooks that no longer exist in the sources. */
  readonly prune?: boolean;
  /** Return a report on every notebook. */
  readonly list?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: IndexProgress;
  /**
   * Whether this is the last indexing of the process. Then the worker threads end, which frees memory for the graph.
   */
  readonly isLast?: boolean;
}

export interface IndexResult {
  readonly totals: Totals;
  readonly reports: readonly CorpusReport[];
  readonly rejections: Rejections;
  /** Number of removed notebooks; null without `prune`, or if part of the corpus could not be read. */
  readonly pruned: number | null;
  /**
   * Lower bound of the number of stored notebooks that are missing from the corpus; 0 if they were removed or the
   * number is unknown.
   */
  readonly gone: number;
}

/** A corpus up to this size is indexed faster than threads start. */
const INLINE_FILES = 30;
const INLINE_BYTES = 512 * 1024;

const NO_PROGRESS: IndexProgress = { reading: () => {}, settling: () => {}, expect: () => {}, end: () => {} };

/** Synchronises the index with a corpus. Null if the corpus is empty, as a shard may be. */
export async function indexCorpus(
  { sources, corpus, count }: OpenedCorpus,
  indexDeps: IndexDeps,
  options: IndexOptions = {},
): Promise<IndexResult | null> {
  const { store, config, workers } = indexDeps;
  const { shard, prune = false, list = false, isLast = false, progress = NO_PROGRESS } = options;
  const { signal = new AbortController().signal } = options;
  const seen = prune ? new Set<string>() : null;
  let isEmpty = true;
  const entries = noteEach(corpus, () => {
    isEmpty = false;
  });
  const wanted = shard === undefined ? entries : takeShard(entries, shard);
  const first = await takeFirst(seen === null ? wanted : noteEach(wanted, (found) => seen.add(shortenId(idOf(found)))));
  if (first.isNone && isEmpty) return null;
  const ledger = openLedger(config.data);
  const rejections = openRejections(join(config.data, "rejected.jsonl"));
  const reports: CorpusReport[] = [];
  const counts = new Map<string, FileCounts>();
  let totals = NO_TOTALS;
  // Not awaited, because counting takes a while on a large disk.
  void Promise.all([count(), store.counts()]).then(
    ([files, { cells }]) => progress.expect(files === null ? null : Math.ceil(files / (shard?.of ?? 1)), cells),
    // An error that prevents counting is reported by the work itself.
    () => {},
  );
  try {
    const deps = { store, workers: first.isSmall ? createInlineWorkers(indexDeps) : workers, ledger };
    for await (const step of ingestCorpus(first.all, deps, { signal })) {
      totals = addStep(totals, step);
      countBySource(counts, step);
      if (list) reports.push(...step.reports);
      rejections.add(step.rejected);
      // A script that was skipped does not count as seen. So pruning removes it if an earlier run stored it as a
      // notebook.
      for (const id of step.passedOver) seen?.delete(shortenId(id));
      progress.reading(totals);
      // Yields, so that signals are handled.
      await setImmediate();
    }
    const isComplete = !signal.aborted && !rejections.isIncomplete;
    const pruned = seen !== null && isComplete ? await pruneUnseen(store, sources, seen, shard, signal) : null;
    if (!signal.aborted) {
      if (isLast) await workers.close();
      await store.settle({ onProgress: progress.settling, signal });
      const at = new Date().toISOString();
      for (const { name: source } of sources) ledger.noteSync({ source, at, ...(counts.get(source) ?? NO_FILES) });
    }
    const canCountMissing = !prune && shard === undefined && !signal.aborted && !rejections.isIncomplete;
    const gone = canCountMissing ? await countMissing(store, wholeSources(sources), counts) : 0;
    return { totals, reports, rejections, pruned, gone };
  } finally {
    progress.end();
    rejections.close();
    ledger.close();
  }
}

/** Removes the notebooks of the sources that are not in the corpus; those of other shards stay. Returns their number. */
async function pruneUnseen(
  store: VectorStore,
  sources: OpenedCorpus["sources"],
  seen: ReadonlySet<string>,
  shard: Shard | undefined,
  signal: AbortSignal,
): Promise<number> {
  const isKept = (id: string) => seen.has(shortenId(id)) || (shard !== undefined && !isInShard(id, shard));
  let removed = 0;
  for (const source of new Set(sources.map(({ name }) => name)))
    removed += await store.removeSource(source, { isKept, signal });
  return removed;
}

interface FileCounts {
  readonly files: number;
  readonly rejected: number;
}

const NO_FILES: FileCounts = { files: 0, rejected: 0 };

function countBySource(counts: Map<string, FileCounts>, { reports, rejected }: CorpusStep): void {
  const add = (source: string, more: number) => {
    const { files, rejected } = counts.get(source) ?? NO_FILES;
    counts.set(source, { files: files + 1, rejected: rejected + more });
  };
  for (const { source } of reports) add(source, 0);
  for (const { source } of rejected) add(source, 1);
}

function wholeSources(sources: OpenedCorpus["sources"]): Set<string> {
  const parts = new Set(sources.flatMap(({ name, isWhole }) => (isWhole ? [] : [name])));
  return new Set(sources.map(({ name }) => name).filter((name) => !parts.has(name)));
}

/**
 * Compares only the totals per source, which takes one query. A rejected file counts as stored, because an earlier
 * version of it may be.
 */
async function countMissing(
  store: VectorStore,
  sources: ReadonlySet<string>,
  counts: ReadonlyMap<string, FileCounts>,
): Promise<number> {
  const stored = (await store.sources()).filter(({ source }) => sources.has(source));
  return stored.reduce(
    (sum, { source, notebooks }) => sum + Math.max(0, notebooks - (counts.get(source) ?? NO_FILES).files),
    0,
  );
}

/** The first 16 bytes of an id: unique among millions, in a quarter of the memory. */
function shortenId(id: string): string {
  return Buffer.from(id.slice(0, 32), "hex").toString("latin1");
}

async function* noteEach(corpus: Corpus, note: (found: CorpusItem) => void): AsyncGenerator<CorpusItem> {
  for await (const found of corpus) {
    note(found);
    yield found;
  }
}

interface FirstEntries {
  readonly isNone: boolean;
  /** Whether the whole corpus is too small to be worth starting threads. */
  readonly isSmall: boolean;
  /** The whole corpus, including the entries that were read ahead. */
  readonly all: Corpus;
}

async function takeFirst(corpus: Corpus): Promise<FirstEntries> {
  const iterator = corpus[Symbol.asyncIterator]();
  const entries: CorpusItem[] = [];
  let size = 0;
  let isAll = false;
  // Entries of an archive are in memory, so their size is limited too.
  while (entries.length < INLINE_FILES && size < INLINE_BYTES && !isAll) {
    const next = await iterator.next();
    if (next.done) isAll = true;
    else {
      entries.push(next.value);
      size += "rejected" in next.value ? 0 : (next.value.size ?? INLINE_BYTES);
    }
  }
  const [isNone, isSmall] = [entries.length === 0, isAll && size < INLINE_BYTES];
  const all = async function* () {
    // Each entry is released once it is yielded.
    for (let next = entries.shift(); next !== undefined; next = entries.shift()) yield next;
    if (!isAll) yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { isNone, isSmall, all: all() };
}

/** The rejected files of a run. A file lists all of them; the first ones are also kept in memory. */
interface Rejections {
  /** The first rejected files, for display. */
  readonly first: readonly RejectedEntry[];
  readonly count: number;
  readonly file: string;
  /** Whether part of the corpus could not be read, and may contain notebooks. */
  readonly isIncomplete: boolean;
  add(rejected: readonly RejectedEntry[]): void;
  close(): void;
}

const MAX_LISTED_REJECTIONS = 100;

/** Writes a line `{source, name, reason}` for each rejected file, and replaces the file of the previous run. */
function openRejections(file: string): Rejections {
  withWriteErrors(file, () => rmSync(file, { force: true }));
  const first: RejectedEntry[] = [];
  let count = 0;
  let isIncomplete = false;
  let descriptor: number | null = null;
  return {
    first,
    file,
    get count() {
      return count;
    },
    get isIncomplete() {
      return isIncomplete;
    },
    add(rejected) {
      if (rejected.length === 0) return;
      count += rejected.length;
      isIncomplete ||= rejected.some(({ isContainer }) => isContainer);
      first.push(...rejected.slice(0, MAX_LISTED_REJECTIONS - first.length));
      descriptor ??= withWriteErrors(file, () => {
        makeFolders(dirname(file));
        return openSync(file, "w");
      });
      const lines = rejected.map(({ source, name, reason }) => `${JSON.stringify({ source, name, reason })}\n`);
      writeSync(descriptor, lines.join(""));
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
    },
  };
}

function withWriteErrors<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const { message } = cause as Error;
    throw new RecommenderError("STORE_UNAVAILABLE", `${file} cannot be written; do you own the folder? (${message})`, {
      cause,
    });
  }
}
