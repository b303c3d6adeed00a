import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { createRemoteOperations } from "../ask/remote.js";
import { createUseCases, type UseCases } from "../ask/use-cases.js";
import { assetPath, type Config } from "../config.js";
import { type CallThread, createPool, type Pool, type PoolOptions } from "../threads/pool.js";
import type { Handlers } from "../threads/thread-protocol.js";
import type { AnswererData, AnswererFacts, AnswererHandlers } from "./answerer.js";
import type { CompleterData, CompleterHandlers } from "./completer-thread.js";
import type { WriterRole } from "./parts.js";

/** The dependencies of the REST service. */
interface Service {
  readonly ask: UseCases;
  /** Number of requests waiting for a thread. */
  waiting(): number;
  /** Warms up caches that would slow down the first requests. */
  warm(signal: AbortSignal): Promise<void>;
  /** Starts the threads that process uploads. */
  warmWorkers(): Promise<void>;
  close(): Promise<void>;
}

const ANSWERER = assetPath("dist/src/app/answerer.js");
/** Concurrent calls per reader: one that runs, and the next one ready to start. */
const CALLS_PER_READER = 2;
/**
 * Requests use little heap memory, because search data is stored outside the heap. With V8's default limits, the
 * garbage of a thread would grow to several times the live data before it is collected.
 */
const MEMORY = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1_536 };
const COMPLETER_MEMORY = { maxYoungGenerationSizeMb: 12 };
/** After a write, the service waits this long for further writes before it rebuilds derived files. */
const SETTLE_AFTER_MS = 10_000;
/** How often a service looks for new notebooks of other processes to learn completions from. */
const LEARN_EVERY_MS = 60_000;

/** Default maximum number of readers. Each needs memory of its own, so more must be requested with CELREC_WORKERS. */
const MAX_DEFAULT_READERS = 4;
/**
 * Above this many cells there is one reader by default, because each reader has its own tables in addition to the
 * shared data.
 */
const LARGE_INDEX_CELLS = 300_000;
/**
 * Below this many cells there is also one reader by default, because an answer takes a millisecond and a thread about
 * 50 MB.
 */
const SMALL_INDEX_CELLS = 5_000;

interface ServiceOptions {
  /** Called when settling failed: nothing is lost, but the next start takes longer, and searches may. */
  readonly onSettleError?: (error: unknown) => void;
  readonly settleAfterMs?: number;
}

/** Opens the index for a service. Threads answer the requests; if `workers` is 0, this thread does. */
export async function openService(
  config: Config,
  role: Omit<WriterRole, "share">,
  options: ServiceOptions = {},
): Promise<Service> {
  // With Milvus, the Milvus server does the searching.
  const { workers = config.store === "milvus" ? 0 : undefined } = config;
  return workers === 0 ? openAlone(config, role, options) : openThreads(config, role, options);
}

/** Indexes the sample notebooks in a thread, whose code and models leave the memory when it ends. */
export async function indexSamples(config: Config, role: Omit<WriterRole, "share">) {
  const data: AnswererData = { config, role };
  const pool = createPool<AnswererHandlers>({ module: ANSWERER, size: 1, perThread: 1, data });
  try {
    return await pool.call("indexSamples", undefined);
  } finally {
    await pool.close();
  }
}

/** Wraps a call: `onFirst` runs right after the first call. */
function followFirst<H extends Handlers>(call: CallThread<H>, onFirst: () => void): CallThread<H> {
  let isFirst = true;
  return (name, input, options) => {
    const answer = call(name, input, options);
    if (isFirst) onFirst();
    isFirst = false;
    return answer;
  };
}

/** The number of reading threads. One is enough for CodeBERT, which uses all cores by itself. */
export function chooseWorkers({ workers, embedder }: Pick<Config, "workers" | "embedder">, cells: number): number {
  if (workers !== undefined) return workers;
  const isOneEnough = embedder === "codebert" || cells > LARGE_INDEX_CELLS || cells < SMALL_INDEX_CELLS;
  return isOneEnough ? 1 : Math.min(MAX_DEFAULT_READERS, availableParallelism());
}

async function openAlone(
  config: Config,
  role: WriterRole,
  { onSettleError = () => {} }: ServiceOptions,
): Promise<Service> {
  // Loaded here, because a main thread with reading threads does not need this code.
  const { compose } = await import("./compose.js");
  const { ask, store, workers, completion, warm, close } = await compose(config, role);
  await store.open();
  const stop = new AbortController();
  const learn = () => void completion.update(stop.signal).catch((error) => stop.signal.aborted || onSettleError(error));
  // Other processes may write, too; their notebooks are learnt within a minute.
  const timer = setInterval(learn, LEARN_EVERY_MS).unref();
  learn();
  return {
    ask,
    waiting: () => 0,
    warm,
    warmWorkers: workers.warm,
    async close() {
      clearInterval(timer);
      stop.abort();
      await close();
    },
  };
}

/**
 * V8 lets garbage grow to several times the live data. Collecting it early makes answers up to 50 % slower. That is
 * acceptable for a small index, where an answer takes two milliseconds.
 */
function collectEarly(isOn: boolean): void {
  setFlagsFromString(isOn ? "--optimize-for-size" : "--no-optimize-for-size");
}

/**
 * Each thread collects its own young garbage. By default V8 wakes up helper threads for each of these collections, which
 * takes longer than to collect a few megabytes, above all if all cores are busy with answers.
 */
function collectAlone(): void {
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--no-concurrent-array-buffer-sweeping");
}

async function openThreads(
  config: Config,
  role: WriterRole,
  { onSettleError = () => {}, settleAfterMs = SETTLE_AFTER_MS }: ServiceOptions,
): Promise<Service> {
  collectAlone();
  const data = (share: "reader" | "writer"): AnswererData => ({ config, role: { ...role, share } });
  const openPool = (options: Pick<PoolOptions, "data" | "perThread">) =>
    createPool<AnswererHandlers, AnswererFacts>({ module: ANSWERER, size: 1, memory: MEMORY, ...options });
  const writer = openPool({ data: data("writer"), perThread: Number.POSITIVE_INFINITY });
  const readers = openPool({ data: data("reader"), perThread: CALLS_PER_READER });
  const stop = new AbortController();
  const close = async () => {
    clearTimeout(timer);
    stop.abort();
    collectEarly(false);
    await Promise.all([readers.close(), writer.close(), completer?.close()]);
  };
  let timer: NodeJS.Timeout | undefined;
  let completer: Pool<CompleterHandlers> | undefined;
  const settle = async () => {
    await readers.call("settle", undefined, { signal: stop.signal, skipQueue: true });
    await readers.callAll("refresh", "files");
    await completer?.callAll("update", undefined, { signal: stop.signal });
    const { cells } = await readers.call("counts", undefined, { signal: stop.signal });
    collectEarly(cells < SMALL_INDEX_CELLS);
  };
  const settleSoon = () => {
    clearTimeout(timer);
    // If it fails, nothing is lost, and the next change tries again.
    const run = () => void settle().catch((error) => stop.signal.aborted || onSettleError(error));
    timer = setTimeout(run, settleAfterMs).unref();
  };
  try {
    const facts = await readers.start();
    // Creates the index if there is none, before other readers open it. The writer's thread starts with the first
    // change.
    const { cells } = await readers.call("counts", undefined);
    collectEarly(cells < SMALL_INDEX_CELLS);
    // The first reader loads the files; the others share its memory.
    const loaded = await readers.call("open", undefined);
    await readers.start(chooseWorkers(config, cells));
    await readers.callAll("open", loaded);
    const completerData: CompleterData = { config, identity: facts.identity, role };
    completer = createPool<CompleterHandlers>({
      module: assetPath("dist/src/app/completer-thread.js"),
      size: 1,
      perThread: CALLS_PER_READER,
      memory: COMPLETER_MEMORY,
      data: completerData,
    });
    // The completer thread starts with the first completion, because its model takes as much memory as the cells. It
    // then also learns earlier notebooks.
    const { call, callAll } = completer;
    const learn = () =>
      void call("update", undefined, { signal: stop.signal }).catch(
        (error) => stop.signal.aborted || onSettleError(error),
      );
    return {
      ask: createUseCases({
        operations: createRemoteOperations({
          readers,
          writer,
          completer: { call: followFirst(call, learn), callAll },
          onWritten: settleSoon,
        }),
        ...facts,
        config,
      }),
      waiting: readers.waiting,
      warm: (signal) => readers.callAll("warm", undefined, { signal }),
      // With a large index, memory is kept for searches until the first upload.
      warmWorkers: async () => (cells > LARGE_INDEX_CELLS ? undefined : writer.call("warmWorkers", undefined)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
