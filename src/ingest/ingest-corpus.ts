import type { Corpus, CorpusItem, Entry } from "../notebook/corpus/entry.js";
import type { Rejection } from "../notebook/notebook.js";
import type { VectorStore } from "../store/vector-store.js";
import { createIntake, type Incoming, type Intake, type PreparedBatch, toIncoming } from "./intake.js";
import { type Ledger, NO_LEDGER, type Remembered } from "./ledger.js";
import { cacheMadeCells } from "./make-cells.js";
import {
  addStep,
  type CorpusReport,
  type CorpusStep,
  countSkips,
  NO_TOTALS,
  type RejectedEntry,
  reportBatch,
  type Totals,
} from "./report.js";
import { hashFacts, idOf, type ScreenResult, screen } from "./screen.js";
import type { Workers } from "./workers.js";

interface CorpusDeps {
  readonly store: VectorStore;
  readonly workers: Workers;
  /** By default, no ledger is used. */
  readonly ledger?: Ledger;
}

export interface CorpusOptions {
  readonly signal?: AbortSignal;
  readonly batch?: BatchLimits;
}

/** Limits of a batch: large enough for cheap commits, small enough for stopping soon after Ctrl-C. */
interface BatchLimits {
  readonly notebooks: number;
  readonly cells: number;
  /** Characters of code. */
  readonly code: number;
}

/** A notebook that was read, a notebook known to be unchanged, a rejected file, or a skipped script without cells. */
type Item =
  | { readonly entry: Entry; readonly incoming: Incoming }
  | { readonly known: CorpusReport }
  | { readonly rejected: RejectedEntry }
  | { readonly passedOver: string };

/**
 * Maximum notebooks and characters of code per batch, relative to its maximum number of cells. The store determines
 * that number.
 */
const NOTEBOOKS_PER_CELL = 0.1;
const CODE_PER_CELL = 8 * 2 ** 10;
/** Number of batches prepared while others are written. */
const BATCHES_AHEAD = 2;
const READS_PER_THREAD = 4;
/** A stamp that never matches, so the content is read in the next run. */
const NO_STAMP = "";
/** Maximum entries per lookup, and maximum bytes of entries in memory. */
const SCREEN_BATCH = { count: 128, max: 32 * 2 ** 20 };

/**
 * Stores the notebooks of a corpus in batches, in the order of the corpus, and yields a report after each batch.
 * Reading, preparing and writing run at the same time; each waits for the next stage if that is slower. A remote store
 * gets several batches at once. `signal` stops the run between two batches.
 */
export async function* ingestCorpus(
  corpus: Corpus,
  { store, workers, ledger = NO_LEDGER }: CorpusDeps,
  { signal, batch = limitsFor(store) }: CorpusOptions = {},
): AsyncGenerator<CorpusStep> {
  if (signal?.aborted) return;
  const make = cacheMadeCells(workers.make, batch.cells * (BATCHES_AHEAD + store.writesAtOnce));
  const intake = createIntake({ store, make });
  const groups = groupBy(corpus, SCREEN_BATCH, (found) => ("rejected" in found ? 0 : (found.size ?? 0)));
  const screened = flatten(mapAhead(groups, 1, (group) => screen(group, { ledger, store })));
  const read = mapAhead(screened, workers.size * READS_PER_THREAD, (each) => readFound(each, workers, signal));
  const batches = groupBy(read, { max: 1, count: batch.notebooks }, (item) => shareOfBatch(item, batch));
  const prepared = mapAhead(batches, BATCHES_AHEAD, async (items) => {
    const incoming = items.flatMap((item) => ("incoming" in item ? [item.incoming] : []));
    return { items, batch: await intake.prepare(incoming, signal) };
  });
  try {
    const inTurn = createTurnsById();
    const written = mapAhead(prepared, store.writesAtOnce, ({ items, batch }) =>
      inTurn(
        batch.notebooks.map(({ id }) => id),
        async () => {
          if (signal?.aborted) return null;
          const step = await writeBatch(items, batch, intake);
          ledger.note(toRemember(items, step.reports));
          return step;
        },
      ),
    );
    for await (const step of written) {
      if (step === null) return;
      yield step;
      if (signal?.aborted) return;
    }
  } catch (error) {
    // An abort by the signal is not a failure.
    if (!signal?.aborted || error !== signal.reason) throw error;
  }
}

/** Runs a task after the earlier tasks that share an id with it, so that the last of several versions is kept. */
function createTurnsById() {
  const running = new Map<string, Promise<unknown>>();
  return <T>(ids: readonly string[], task: () => Promise<T>): Promise<T> => {
    const earlier = new Set(ids.flatMap((id) => running.get(id) ?? []));
    const result = earlier.size === 0 ? task() : Promise.all(earlier).then(task);
    for (const id of ids) running.set(id, result);
    return result.finally(() => {
      for (const id of ids) if (running.get(id) === result) running.delete(id);
    });
  };
}

function limitsFor({ batchCells: cells }: VectorStore): BatchLimits {
  return { cells, notebooks: Math.ceil(cells * NOTEBOOKS_PER_CELL), code: cells * CODE_PER_CELL };
}

async function readFound(
  { found, known, force }: ScreenResult,
  workers: Workers,
  signal: AbortSignal | undefined,
): Promise<Item> {
  if ("rejected" in found) return { rejected: toRejected(found, found.rejected, found.isContainer === true) };
  if (known !== null) return { known };
  const content = await found.read();
  const read = "rejected" in content ? content : await workers.read(content, signal);
  if ("code" in read) {
    const facts = { ...read.facts, ...found.facts };
    const incoming = toIncoming({ source: found.source, name: found.path, facts }, read.code);
    return { entry: found, incoming: force ? { ...incoming, force } : incoming };
  }
  if (read.rejected.kind === "plain-script" && !found.named) return { passedOver: idOf(found) };
  return { rejected: toRejected(found, read.rejected) };
}

async function writeBatch(items: readonly Item[], batch: PreparedBatch, intake: Intake): Promise<CorpusStep> {
  const outcome = await intake.write(batch);
  const notebooks = new Map(batch.notebooks.map((notebook) => [notebook.id, notebook]));
  const failed = [...batch.failed].map(([id, error]) => {
    const { source, name } = notebooks.get(id)!;
    return toRejected({ source, path: name }, { kind: "too-large", reason: (error as Error).message });
  });
  const written = reportBatch(batch, outcome).map(({ labels: _, ...report }) => ({
    ...report,
    skips: countSkips(notebooks.get(report.id)!, batch.made),
  }));
  return {
    files: items.length,
    reports: [...items.flatMap((item) => ("known" in item ? [item.known] : [])), ...written],
    rejected: [...items.flatMap((item) => ("rejected" in item ? [item.rejected] : [])), ...failed],
    passedOver: items.flatMap((item) => ("passedOver" in item ? [item.passedOver] : [])),
  };
}

/**
 * The ledger entries of stored notebooks, so that the next run need not read their files again if they are unchanged.
 */
function toRemember(items: readonly Item[], reports: readonly CorpusReport[]): Map<string, Remembered> {
  const stored = new Map(reports.map((report) => [report.id, report]));
  return new Map(
    items.flatMap((item) => {
      const report = "entry" in item ? stored.get(item.incoming.id) : undefined;
      if (!("entry" in item) || report === undefined) return [];
      const { stamp, facts } = item.entry;
      const { cells, skipped } = report;
      const memory = {
        stamp: stamp ?? NO_STAMP,
        version: item.incoming.code.version,
        cells,
        skipped,
        facts: hashFacts(facts),
      };
      return [[report.id, memory] as const];
    }),
  );
}

function toRejected(
  { source, path }: Pick<CorpusItem, "source" | "path">,
  why: Rejection,
  isContainer = false,
): RejectedEntry {
  return { source, name: path, ...why, isContainer };
}

/** The size of an item as a share of a batch. */
function shareOfBatch(item: Item, { cells: maxCells, code: maxCode }: BatchLimits): number {
  if (!("incoming" in item)) return 0;
  const { cells } = item.incoming.code;
  const code = cells.reduce((sum, cell) => sum + cell.code.length, 0);
  return Math.max(cells.length / maxCells, code / maxCode);
}

/** Stores a whole corpus and returns the totals. */
export async function ingestWhole(...parameters: Parameters<typeof ingestCorpus>): Promise<Totals> {
  let totals = NO_TOTALS;
  for await (const step of ingestCorpus(...parameters)) totals = addStep(totals, step);
  return totals;
}

/**
 * Maps a stream in order, with at most `limit` items in progress. It does not read further ahead, so a slow consumer
 * slows down the earlier stages.
 */
export async function* mapAhead<T, R>(
  stream: AsyncIterable<T>,
  limit: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const items = stream[Symbol.asyncIterator]();
  const working: Promise<R>[] = [];
  try {
    let ended = false;
    while (!ended || working.length > 0) {
      if (ended || working.length >= limit) {
        yield await working.shift()!;
        continue;
      }
      const next = await items.next();
      ended = next.done === true;
      if (next.done) continue;
      const work = map(next.value);
      // Prevents an unhandled rejection; the error is thrown when the item leaves the queue.
      work.catch(() => {});
      working.push(work);
    }
  } finally {
    await items.return?.();
  }
}

/** Groups a stream; a group ends before the item that would make it heavier than `max`. */
export async function* groupBy<T>(
  stream: AsyncIterable<T>,
  { max, count }: { readonly max: number; readonly count: number },
  weigh: (item: T) => number,
): AsyncGenerator<T[]> {
  let group: T[] = [];
  let weight = 0;
  for await (const item of stream) {
    const heavier = weight + weigh(item);
    if (group.length > 0 && heavier > max) {
      yield group;
      [group, weight] = [[], 0];
    }
    group.push(item);
    weight += weigh(item);
    if (group.length < count) continue;
    yield group;
    [group, weight] = [[], 0];
  }
  if (group.length > 0) yield group;
}

/** Flattens a stream of lists. */
async function* flatten<T>(stream: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const items of stream) yield* items;
}
