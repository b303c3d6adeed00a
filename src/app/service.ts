import { availableParallelism } from "node:os";
import { createRemoteOperations } from "../ask/remote.js";
import { createUseCases, type UseCases } from "../ask/use-cases.js";
import { assetPath, type Config } from "../config.js";
import { createPool, type Pool, type PoolOptions } from "../threads/pool.js";
import type { AnswererData, AnswererFacts, AnswererHandlers } from "./answerer.js";
import type { CompleterData, CompleterHandlers } from "./completer-thread.js";
import { compose, type WriterRole } from "./compose.js";

/** What the REST service works with. */
export interface Service {
  readonly ask: UseCases;
  /** Questions that nobody works on yet. */
  waiting(): number;
  /** Makes ready what the first questions would have to wait for. */
  warm(signal: AbortSignal): Promise<void>;
  /** The same for uploads. */
  warmWorkers(): Promise<void>;
  close(): Promise<void>;
}

/** One that runs, and one that is there when it ends. */
const CALLS_PER_READER = 2;
/** An answer leaves little behind; with the default young generation, a thread's memory grows by twice as much. */
const MEMORY = { maxYoungGenerationSizeMb: 24 };
/** A service that was written to settles when this long nothing more came. */
const SETTLE_AFTER_MS = 10_000;

/** More readers than this have more memory than most indexes are worth; whoever has it can say so. */
const MOST_USUAL = 4;
/** Of a larger index a second copy of what searches need is no small thing. */
const LARGE = 300_000;

interface ServiceOptions {
  /** Told where settling failed: nothing is lost, but the next start will take longer, and searches may. */
  readonly onTrouble?: (error: unknown) => void;
  readonly settleAfterMs?: number;
}

/** Opens the index for a service: questions and changes are answered by threads, or where `workers` is 0 by this one. */
export async function openService(
  config: Config,
  role: Omit<WriterRole, "share">,
  options: ServiceOptions = {},
): Promise<Service> {
  // Milvus does the searching itself.
  const { workers = config.store === "milvus" ? 0 : undefined } = config;
  return workers === 0 ? openAlone(config, role) : openThreads(config, role, options);
}

/** CodeBERT uses all cores by itself. */
export function chooseWorkers({ workers, embedder }: Pick<Config, "workers" | "embedder">, cells: number): number {
  if (workers !== undefined) return workers;
  return embedder === "codebert" || cells > LARGE ? 1 : Math.min(MOST_USUAL, availableParallelism());
}

async function openAlone(config: Config, role: WriterRole): Promise<Service> {
  const { ask, store, workers, warm, close } = await compose(config, role);
  await store.open();
  return {
    ask,
    waiting: () => 0,
    warm,
    warmWorkers: workers.warm,
    close,
  };
}

async function openThreads(
  config: Config,
  role: WriterRole,
  { onTrouble = () => {}, settleAfterMs = SETTLE_AFTER_MS }: ServiceOptions,
): Promise<Service> {
  const module = assetPath("dist/src/app/answerer.js");
  const data = (share: "reader" | "writer"): AnswererData => ({ config, role: { ...role, share } });
  const openPool = (options: Pick<PoolOptions, "data" | "perThread">) =>
    createPool<AnswererHandlers, AnswererFacts>({ module, size: 1, memory: MEMORY, ...options });
  const writer = openPool({ data: data("writer"), perThread: Number.POSITIVE_INFINITY });
  const readers = openPool({ data: data("reader"), perThread: CALLS_PER_READER });
  const stop = new AbortController();
  const close = async () => {
    clearTimeout(timer);
    stop.abort();
    await Promise.all([readers.close(), writer.close(), completer?.close()]);
  };
  let timer: NodeJS.Timeout | undefined;
  let completer: Pool<CompleterHandlers> | undefined;
  const settle = async () => {
    await readers.call("settle", undefined, { signal: stop.signal, skipQueue: true });
    await readers.callAll("refresh", "files");
    await completer?.call("update", undefined, { signal: stop.signal });
  };
  const settleSoon = () => {
    clearTimeout(timer);
    // Where it fails nothing is lost, and the next change tries again.
    const run = () => void settle().catch((error) => stop.signal.aborted || onTrouble(error));
    timer = setTimeout(run, settleAfterMs).unref();
  };
  try {
    const [facts] = await Promise.all([readers.start(), writer.start()]);
    // Makes the index where there is none; readers find it then.
    const { cells } = await writer.call("counts", undefined);
    await readers.start(chooseWorkers(config, cells));
    await readers.callAll("open", undefined);
    const completerData: CompleterData = { config, identity: facts.identity, role };
    completer = createPool<CompleterHandlers>({
      module: assetPath("dist/src/app/completer-thread.js"),
      size: 1,
      perThread: CALLS_PER_READER,
      data: completerData,
    });
    await completer.start();
    // What was indexed while no service ran is learnt while the first questions are answered.
    void completer
      .call("update", undefined, { signal: stop.signal })
      .catch((error) => stop.signal.aborted || onTrouble(error));
    return {
      ask: createUseCases({
        operations: createRemoteOperations({ readers, writer, completer, onWritten: settleSoon }),
        ...facts,
        config,
      }),
      waiting: readers.waiting,
      warm: (signal) => readers.callAll("warm", undefined, { signal }),
      // Beside a large index their memory is kept for what is searched, until somebody uploads.
      warmWorkers: async () => (cells > LARGE ? undefined : writer.call("warmWorkers", undefined)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
