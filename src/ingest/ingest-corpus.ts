import type { Corpus, Entry, Found } from "../notebook/corpus/entry.js";
import type { Rejection } from "../notebook/notebook.js";
import type { VectorStore } from "../store/vector-store.js";
import { createIntake, type Incoming, type Intake, type PreparedBatch, toIncoming } from "./intake.js";
import { groupBy, mapAhead } from "./map-ahead.js";
import { rememberCells } from "./recent-cells.js";
import { countSkips, type IngestReport, reportBatch, type SkipCounts } from "./report.js";
import type { Workers } from "./workers/workers.js";

export interface CorpusDeps {
  readonly store: VectorStore;
  readonly workers: Workers;
}

export interface CorpusOptions {
  readonly signal?: AbortSignal;
  readonly batch?: BatchLimits;
}

/** A batch ends here: large enough that a commit is cheap, small enough to stop soon after Ctrl-C. */
export interface BatchLimits {
  readonly notebooks: number;
  readonly cells: number;
  /** In characters. */
  readonly code: number;
}

/** What became of a notebook of a corpus. */
export interface CorpusReport extends Omit<IngestReport, "labels"> {
  readonly skips: SkipCounts;
}

/** A file of a corpus that was not taken. */
export interface RejectedEntry extends Rejection {
  readonly source: string;
  readonly name: string;
  /** Whether notebooks may lie behind it that nobody has seen. */
  readonly hides: boolean;
}

/** What one batch brought. `files` counts all that was looked at, scripts without cells too. */
export interface CorpusStep {
  readonly files: number;
  readonly reports: readonly CorpusReport[];
  readonly rejected: readonly RejectedEntry[];
}

/** A notebook that was read, one that cannot be, or a script that is none and was never said to be. */
type Item = { readonly incoming: Incoming } | { readonly rejected: RejectedEntry } | { readonly passedOver: true };

const BATCH: BatchLimits = { notebooks: 100, cells: 1_000, code: 8 * 2 ** 20 };
/** Batches that are prepared while one is written. */
const BATCHES_AHEAD = 2;
const READS_PER_THREAD = 4;

/**
 * Stores the notebooks of a corpus, a batch at a time and in its order, and tells after each. Reading, preparing and writing go
 * on at the same time; each waits for the next where that is slower. `signal` stops it between two batches.
 */
export async function* ingestCorpus(
  corpus: Corpus,
  { store, workers }: CorpusDeps,
  { signal, batch = BATCH }: CorpusOptions = {},
): AsyncGenerator<CorpusStep> {
  if (signal?.aborted) return;
  const make = rememberCells(workers.make, batch.cells * (BATCHES_AHEAD + 1));
  const intake = createIntake({ store, make });
  const read = mapAhead(corpus, workers.size * READS_PER_THREAD, (found) => readFound(found, workers, signal));
  const batches = groupBy(read, { most: 1, count: batch.notebooks }, (item) => weigh(item, batch));
  const prepared = mapAhead(batches, BATCHES_AHEAD, async (items) => {
    const incoming = items.flatMap((item) => ("incoming" in item ? [item.incoming] : []));
    return { items, batch: await intake.prepare(incoming, signal) };
  });
  try {
    for await (const { items, batch } of prepared) {
      if (signal?.aborted) return;
      yield await writeBatch(items, batch, intake);
      if (signal?.aborted) return;
    }
  } catch (error) {
    // Work that was dropped because of the signal is no failure.
    if (!signal?.aborted || error !== signal.reason) throw error;
  }
}

async function readFound(found: Found, workers: Workers, signal: AbortSignal | undefined): Promise<Item> {
  if ("rejected" in found) return { rejected: toRejected(found, found.rejected, found.hides === true) };
  const read = await workers.read(await found.read(), signal);
  if ("code" in read) return { incoming: toIncoming({ ...found, name: found.path }, read.code) };
  if (read.rejected.kind === "plain-script" && !found.named) return { passedOver: true };
  return { rejected: toRejected(found, read.rejected) };
}

async function writeBatch(items: readonly Item[], batch: PreparedBatch, intake: Intake): Promise<CorpusStep> {
  const outcome = await intake.write(batch);
  const notebooks = new Map(batch.notebooks.map((notebook) => [notebook.id, notebook]));
  const failed = [...batch.failed].map(([id, error]) => {
    const { source, name } = notebooks.get(id)!;
    return toRejected({ source, path: name }, { kind: "too-large", reason: (error as Error).message });
  });
  return {
    files: items.length,
    reports: reportBatch(batch, outcome).map(({ labels: _, ...report }) => ({
      ...report,
      skips: countSkips(notebooks.get(report.id)!, batch.made),
    })),
    rejected: [...items.flatMap((item) => ("rejected" in item ? [item.rejected] : [])), ...failed],
  };
}

function toRejected({ source, path }: Pick<Entry, "source" | "path">, why: Rejection, hides = false): RejectedEntry {
  return { source, name: path, ...why, hides };
}

/** As a share of a batch. */
function weigh(item: Item, { cells: mostCells, code: mostCode }: BatchLimits): number {
  if (!("incoming" in item)) return 0;
  const { cells } = item.incoming.code;
  const code = cells.reduce((sum, cell) => sum + cell.code.length, 0);
  return Math.max(cells.length / mostCells, code / mostCode);
}
