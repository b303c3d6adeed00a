import { availableParallelism } from "node:os";
import { RecommenderError } from "../../errors.js";
import { createPool, type Pool } from "../../threads/pool.js";
import type { Handlers } from "../../threads/protocol.js";
import type { MemoryLimits, ThreadExit } from "../../threads/thread.js";

export interface WorkerPoolOptions {
  /** The module that the threads run. */
  readonly module: string;
  readonly data: unknown;
  readonly size?: number;
  readonly perThread?: number;
  /** A job that takes longer is rejected, and its thread replaced. */
  readonly maxMs?: number;
  readonly memory?: MemoryLimits;
}

/** One writer takes what they make; more threads than this would wait for it. */
const MAX_THREADS = 8;
/** Enough that a thread need not wait for a busy main thread. */
const JOBS_PER_THREAD = 3;
const MAX_MS = 120_000;
const MEMORY: MemoryLimits = { maxOldGenerationSizeMb: 1_536 };

/** Threads for untrusted notebooks: the job that a thread dies of is rejected with TOO_LARGE, and the others go on. */
export function createWorkerPool<H extends Handlers>({
  module,
  data,
  size = Math.min(MAX_THREADS, availableParallelism()),
  perThread = JOBS_PER_THREAD,
  maxMs = MAX_MS,
  memory = MEMORY,
}: WorkerPoolOptions): Pool<H> {
  const explainExit = ({ timedOut, cause }: ThreadExit) => {
    if (timedOut) return new RecommenderError("TOO_LARGE", `it takes longer than ${maxMs / 1000} s`);
    const limit = `${memory.maxOldGenerationSizeMb} MB of memory`;
    const isFull = (cause as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
    return new RecommenderError("TOO_LARGE", isFull ? `it needs more than ${limit}` : "its thread died", { cause });
  };
  return createPool<H>({ module, data, size, perThread, maxMs, memory, isDisposable: true, explainExit });
}
