import { availableParallelism } from "node:os";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { RecommenderError } from "../../errors.js";
import { unpackError } from "../../threads/crossing-error.js";
import type { Answer, Job } from "./protocol.js";

export interface PoolOptions {
  /** The module that the threads run. */
  readonly module: string | URL;
  /** What it is started with. */
  readonly data: unknown;
  readonly size?: number;
  /** Jobs a thread is given ahead, so that it need not wait for a busy main thread. */
  readonly ahead?: number;
  /** A job that takes longer is given up, and its thread with it. */
  readonly mostMs?: number;
  readonly memory?: ResourceLimits;
}

/** Threads that do jobs; started when there is work, replaced when they die. */
export interface Pool {
  readonly size: number;
  /** Rejects with TOO_LARGE where the job cost its thread the life; other jobs go on. */
  run<T>(task: string, input: unknown, signal?: AbortSignal): Promise<T>;
  /** Starts all threads now, and resolves when they are ready. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

/** One writer takes what they make; more threads than this would wait for it. */
const MOST_THREADS = 8;
const AHEAD = 3;
const MOST_MS = 120_000;
const MEMORY: ResourceLimits = { maxOldGenerationSizeMb: 1_536 };

interface Waiting extends Job {
  readonly signal: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** In the order they were given: the first is the one it works on. */
  readonly jobs: Waiting[];
  readonly ready: Promise<void>;
  timer?: NodeJS.Timeout;
  tooSlow?: boolean;
  wasReady?: boolean;
}

export function createPool({
  module,
  data,
  size = Math.min(MOST_THREADS, availableParallelism()),
  ahead = AHEAD,
  mostMs = MOST_MS,
  memory = MEMORY,
}: PoolOptions): Pool {
  const threads = new Set<Thread>();
  const queue: Waiting[] = [];
  let isClosed = false;

  /** Hands out jobs: to a thread that has the fewest, a new one while there may be more. */
  const assign = () => {
    while (queue.length > 0) {
      const idlest = [...threads].sort((one, other) => one.jobs.length - other.jobs.length)[0];
      const thread = idlest?.jobs.length !== 0 && threads.size < size ? start() : idlest!;
      if (thread.jobs.length >= ahead) return;
      const job = queue.shift()!;
      if (job.signal?.aborted) {
        job.reject(job.signal.reason);
        continue;
      }
      thread.jobs.push(job);
      if (thread.jobs.length === 1) watch(thread);
      thread.worker.ref();
      // Copied, not handed over: if the thread dies, another one gets it.
      thread.worker.postMessage({ task: job.task, input: job.input } satisfies Job);
    }
  };

  /** The clock runs for the job in front, once the thread has started. */
  const watch = (thread: Thread) => {
    clearTimeout(thread.timer);
    if (thread.jobs.length === 0) {
      // A process with nothing else to do may end; but whoever closes the pool waits for its threads.
      if (!isClosed) thread.worker.unref();
      return;
    }
    if (!thread.wasReady) return;
    thread.timer = setTimeout(() => {
      thread.tooSlow = true;
      void thread.worker.terminate();
    }, mostMs);
    thread.timer.unref();
  };

  const start = (): Thread => {
    const worker = new Worker(module, { workerData: data, resourceLimits: memory, stdout: false });
    const ready = new Promise<void>((resolve, reject) => {
      worker.once("message", () => {
        thread.wasReady = true;
        watch(thread);
        resolve();
        worker.on("message", (answer: Answer) => finish(thread, answer));
      });
      worker.once("exit", () => reject(new Error("the thread ended before it was ready")));
    });
    ready.catch(() => {});
    const thread: Thread = { worker, jobs: [], ready };
    let cause: unknown;
    worker.on("error", (error) => {
      cause = error;
    });
    worker.once("exit", () => bury(thread, cause));
    threads.add(thread);
    return thread;
  };

  const finish = (thread: Thread, answer: Answer) => {
    const job = thread.jobs.shift()!;
    watch(thread);
    if ("error" in answer) job.reject(unpackError(answer.error));
    else job.resolve(answer.value);
    assign();
  };

  /** The job in front is what it died of; those behind it are given to others. */
  const bury = (thread: Thread, cause: unknown) => {
    clearTimeout(thread.timer);
    threads.delete(thread);
    const [guilty, ...others] = thread.jobs;
    if (isClosed) for (const job of thread.jobs) job.reject(closed());
    // One that cannot even start would be replaced for ever.
    else if (!thread.wasReady) for (const job of thread.jobs) job.reject(cause ?? new Error("no thread starts"));
    else {
      guilty?.reject(explain(thread, cause));
      queue.unshift(...others);
      assign();
    }
  };

  const explain = ({ tooSlow }: Thread, cause: unknown) => {
    if (tooSlow) return new RecommenderError("TOO_LARGE", `it takes longer than ${mostMs / 1000} s`);
    const limit = `${memory.maxOldGenerationSizeMb} MB of memory`;
    const isFull = (cause as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
    return new RecommenderError("TOO_LARGE", isFull ? `it needs more than ${limit}` : "its thread died", { cause });
  };

  return {
    size,
    run: <T>(task: string, input: unknown, signal?: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        if (isClosed) return reject(closed());
        queue.push({ task, input, signal, resolve: resolve as (value: unknown) => void, reject });
        assign();
      }),
    async warm() {
      while (threads.size < size) start();
      await Promise.all([...threads].map(({ ready }) => ready));
    },
    async close() {
      isClosed = true;
      for (const job of queue.splice(0)) job.reject(closed());
      await Promise.all(
        [...threads].map(({ worker }) => {
          // An idle thread holds nobody, not even whoever waits for its end.
          worker.ref();
          return worker.terminate();
        }),
      );
    },
  };
}

function closed(): RecommenderError {
  return new RecommenderError("INTERRUPTED", "The threads were closed before the work was done.");
}
