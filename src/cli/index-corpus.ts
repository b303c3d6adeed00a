import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Services } from "../app/compose.js";
import { ingestCorpus } from "../ingest/ingest-corpus.js";
import { openLedger } from "../ingest/ledger.js";
import { addStep, type CorpusReport, type CorpusStep, NOTHING_YET, type Totals } from "../ingest/report.js";
import { idOf, isInShard, type Shard, takeShard } from "../ingest/screen.js";
import { createInlineWorkers } from "../ingest/workers/workers.js";
import type { Corpus, Found, OpenedCorpus } from "../notebook/corpus/entry.js";
import type { VectorStore } from "../store/vector-store.js";
import type { IndexProgress } from "./index-progress.js";
import { openRejections, type Rejections } from "./rejections.js";

export interface IndexOptions {
  readonly shard?: Shard;
  /** Remove what is gone from the sources. */
  readonly prune: boolean;
  /** Keep what became of every notebook. */
  readonly list: boolean;
  readonly signal: AbortSignal;
  readonly progress: IndexProgress;
  /** Whether nothing is read after it: then the threads make room for the graph. */
  readonly isLast?: boolean;
}

export interface IndexResult {
  readonly totals: Totals;
  readonly reports: readonly CorpusReport[];
  readonly rejections: Rejections;
  /** How many were removed; null where nothing was to be, or where the corpus could not be seen as a whole. */
  readonly pruned: number | null;
  /** How many notebooks of the sources were not come across, at least; 0 where they were removed, or where nobody can tell. */
  readonly gone: number;
}

/** So few and so small files are indexed before threads have started. */
const FEW_FILES = 30;
const FEW_BYTES = 512 * 1024;

/** Brings the index in step with a corpus. Null where the corpus is empty, which a shard of it may well be. */
export async function indexCorpus(
  { sources, corpus, count }: OpenedCorpus,
  services: Services,
  { shard, prune, list, signal, progress, isLast = false }: IndexOptions,
): Promise<IndexResult | null> {
  const { store, config } = services;
  const seen = prune ? new Set<string>() : null;
  let isEmpty = true;
  const whole = noteEach(corpus, () => {
    isEmpty = false;
  });
  const wanted = shard === undefined ? whole : takeShard(whole, shard);
  const first = await takeFirst(seen === null ? wanted : noteEach(wanted, (found) => seen.add(shorten(idOf(found)))));
  if (first.isNone && isEmpty) return null;
  const ledger = openLedger(config.data);
  const rejections = openRejections(join(config.data, "rejected.jsonl"));
  const reports: CorpusReport[] = [];
  const counts = new Map<string, FileCounts>();
  let totals = NOTHING_YET;
  // Beside the work: on a large disk counting takes its time.
  void Promise.all([count(), store.counts()]).then(
    ([files, { cells }]) => progress.expect(files === null ? null : Math.ceil(files / (shard?.of ?? 1)), cells),
    // Whatever keeps it from being counted is told by the work itself.
    () => {},
  );
  try {
    const deps = { store, workers: first.isFew ? createInlineWorkers(services) : services.workers, ledger };
    for await (const step of ingestCorpus(first.all, deps, { signal })) {
      totals = addStep(totals, step);
      countBySource(counts, step);
      if (list) reports.push(...step.reports);
      rejections.add(step.rejected);
      // A script may have been a notebook once.
      for (const id of step.passedOver) seen?.delete(shorten(id));
      progress.reading(totals);
      // Work that never waits would keep a signal from being heard.
      await setImmediate();
    }
    let pruned: number | null = null;
    if (seen !== null && !signal.aborted && !rejections.hidesSome) {
      const isKept = (id: string) => seen.has(shorten(id)) || (shard !== undefined && !isInShard(id, shard));
      pruned = 0;
      for (const source of new Set(sources.map(({ name }) => name)))
        pruned += await store.removeSource(source, { isKept, signal });
    }
    if (!signal.aborted) {
      if (isLast) await services.workers.close();
      await store.settle({ onProgress: progress.settling, signal });
      const at = new Date().toISOString();
      for (const { name: source } of sources) ledger.noteSync({ source, at, ...(counts.get(source) ?? NO_FILES) });
    }
    const isTold = !prune && shard === undefined && !signal.aborted && !rejections.hidesSome;
    const gone = isTold ? await countGone(store, wholeOf(sources), counts) : 0;
    return { totals, reports, rejections, pruned, gone };
  } finally {
    progress.end();
    rejections.close();
    ledger.close();
  }
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

function wholeOf(sources: OpenedCorpus["sources"]): Set<string> {
  const parts = new Set(sources.flatMap(({ name, isWhole }) => (isWhole ? [] : [name])));
  return new Set(sources.map(({ name }) => name).filter((name) => !parts.has(name)));
}

/** By numbers alone, which costs one question: a file that was rejected may be one that is stored, and counts as that. */
async function countGone(
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

/** 16 bytes of an id: enough to tell millions apart, in a quarter of the memory. */
function shorten(id: string): string {
  return Buffer.from(id.slice(0, 32), "hex").toString("latin1");
}

async function* noteEach(corpus: Corpus, note: (found: Found) => void): AsyncGenerator<Found> {
  for await (const found of corpus) {
    note(found);
    yield found;
  }
}

interface FirstEntries {
  readonly isNone: boolean;
  /** Whether all of them are so few and small that threads are not worth their start. */
  readonly isFew: boolean;
  /** The whole corpus, what was looked at included. */
  readonly all: Corpus;
}

async function takeFirst(corpus: Corpus): Promise<FirstEntries> {
  const iterator = corpus[Symbol.asyncIterator]();
  const entries: Found[] = [];
  let size = 0;
  let isAll = false;
  // What comes out of an archive is in memory, so the size counts, too.
  while (entries.length < FEW_FILES && size < FEW_BYTES && !isAll) {
    const next = await iterator.next();
    if (next.done) isAll = true;
    else {
      entries.push(next.value);
      size += "rejected" in next.value ? 0 : (next.value.size ?? FEW_BYTES);
    }
  }
  const [isNone, isFew] = [entries.length === 0, isAll && size < FEW_BYTES];
  const all = async function* () {
    // Each is let go once it is given.
    for (let next = entries.shift(); next !== undefined; next = entries.shift()) yield next;
    if (!isAll) yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { isNone, isFew, all: all() };
}
