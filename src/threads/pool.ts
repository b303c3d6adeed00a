import { setMaxListeners } from "node:events";
import { RecommenderError } from "../errors.js";
import {
  type CallOptions,
  startThread,
  type Thread,
  type ThreadCall,
  type ThreadExit,
  type ThreadOptions,
} from "./thread.js";
import type { HandlerInput, HandlerName, HandlerOutput, Handlers, Transferred } from "./thread-protocol.js";

export interface PoolOptions extends ThreadOptions {
  readonly size: number;
  /** Maximum concurrent calls per thread. Further calls wait in the queue, where they can still be cancelled. */
  readonly perThread: number;
  /** Time limit in milliseconds: a thread is terminated when the first of its calls takes longer. */
  readonly maxMs?: number;
  /** Whether the threads have nothing to close. Then closing the pool terminates them at once. */
  readonly isDisposable?: boolean;
  /**
   * For threads that run one call at a time: makes the error of the call that crashed a thread. The other calls of the
   * thread go to other threads, so their inputs must not be transferred. Without this function, every call of a crashed
   * thread fails.
   */
  readonly explainExit?: (exit: ThreadExit) => Error;
}

interface PoolCallOptions extends CallOptions {
  /** Skips the queue: for health checks. */
  readonly skipQueue?: boolean;
}

/** Calls one of the handlers in a thread. */
export type CallThread<H extends Handlers> = <N extends HandlerName<H>>(
  name: N,
  input: HandlerInput<H, N> | Transferred<HandlerInput<H, N>>,
  options?: PoolCallOptions,
) => Promise<HandlerOutput<H, N>>;

/**
 * Threads that run the same module. They start when there is work for them; one that dies is replaced by the next call.
 */
export interface Pool<H extends Handlers, F = unknown> {
  readonly size: number;
  /** Calls in the queue. */
  waiting(): number;
  /** Starts threads until there are `size`, which becomes the size of the pool; rejects if one cannot start. */
  start(size?: number): Promise<F>;
  /** Calls a handler in a thread. Queued calls start in the order in which they were made. */
  readonly call: CallThread<H>;
  /** Calls every started thread once. */
  callAll<N extends HandlerName<H>>(name: N, input: HandlerInput<H, N>, options?: CallOptions): Promise<void>;
  /** Rejects all open calls. */
  close(): Promise<void>;
}

/**
 * @example
 * const pool = createPool<typeof handlers>({ module: assetPath("dist/src/app/worker.js"), size: 2, perThread: 1 });
 * const cells = await pool.call("read", content, { signal });
 */
export function createPool<H extends Handlers, F = unknown>(options: PoolOptions): Pool<H, F> {
  const { perThread, maxMs, isDisposable = false, explainExit } = options;
  let { size } = options;
  const threads = new Set<Thread>();
  const timers = new Map<Thread, NodeJS.Timeout>();
  const queue: QueuedCall[] = [];
  let isClosed = false;

  const start = (): Thread => {
    const thread = startThread(options, { onReady: watch, onSettled, onExit });
    threads.add(thread);
    return thread;
  };
  const pickThread = (): Thread => {
    const idlest = [...threads].reduce<Thread | null>(
      (best, each) => (best === null || each.running < best.running ? each : best),
      null,
    );
    return idlest === null || (idlest.running > 0 && threads.size < size) ? start() : idlest;
  };
  const give = (thread: Thread, call: QueuedCall) => {
    call.cancel = thread.send(call);
    if (thread.running === 1) watch(thread);
  };
  const assign = () => {
    while (queue.length > 0 && !isClosed) {
      const thread = pickThread();
      if (thread.running >= perThread) return;
      give(thread, queue.shift()!);
    }
  };

  /** Starts the time limit of the thread's first call once the thread is ready. */
  function watch(thread: Thread): void {
    clearTimeout(timers.get(thread));
    if (maxMs === undefined || !thread.isReady || thread.running === 0) return;
    timers.set(thread, setTimeout(thread.timeOut, maxMs).unref());
  }
  function onSettled(thread: Thread): void {
    watch(thread);
    assign();
  }
  function onExit(thread: Thread, exit: ThreadExit): void {
    clearTimeout(timers.get(thread));
    timers.delete(thread);
    threads.delete(thread);
    const calls = exit.calls as readonly QueuedCall[];
    if (isClosed) for (const call of calls) call.reject(poolClosed());
    // Calls fail, because a thread that cannot start would be replaced for ever.
    else if (!exit.wasReady) for (const call of calls) call.reject(exit.cause);
    else if (explainExit === undefined) for (const call of calls) call.reject(threadCrashed(exit.cause));
    else {
      calls[0]?.reject(explainExit(exit));
      queue.unshift(...calls.slice(1).filter((call) => !call.isSettled));
    }
    assign();
  }

  const enqueue = (
    name: string,
    input: unknown,
    { signal, skipQueue, ...rest }: PoolCallOptions,
    to?: Thread,
  ): Promise<unknown> => {
    if (isClosed) return Promise.reject(poolClosed());
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const settle =
        <T>(finish: (value: T) => void) =>
        (value: T) => {
          call.isSettled = true;
          signal?.removeEventListener("abort", onAbort);
          finish(value);
        };
      const onAbort = () => {
        const at = queue.indexOf(call);
        if (at !== -1) queue.splice(at, 1);
        call.cancel?.();
        call.reject(signal!.reason);
      };
      const call: QueuedCall = {
        name,
        input,
        ...rest,
        resolve: settle(resolve),
        reject: settle(reject),
        isSettled: false,
      };
      if (signal !== undefined) {
        // One signal may cancel hundreds of calls, and Node warns from the eleventh listener on.
        setMaxListeners(0, signal);
        signal.addEventListener("abort", onAbort, { once: true });
      }
      if (to !== undefined || skipQueue) return give(to ?? pickThread(), call);
      queue.push(call);
      assign();
    });
  };

  return {
    get size() {
      return size;
    },
    waiting: () => queue.length,
    async start(wanted = size) {
      size = wanted;
      while (threads.size < size) start();
      const [facts] = await Promise.all([...threads].map(({ ready }) => ready));
      return facts as F;
    },
    call: (name, input, callOptions = {}) => enqueue(name, input, callOptions) as Promise<never>,
    async callAll(name, input, callOptions = {}) {
      await Promise.all([...threads].map((thread) => enqueue(name, input, callOptions, thread)));
    },
    async close() {
      isClosed = true;
      for (const call of queue.splice(0)) call.reject(poolClosed());
      await Promise.all([...threads].map((thread) => thread.close(isDisposable)));
    },
  };
}

interface QueuedCall extends ThreadCall {
  /** Cancels the call on its thread; undefined while no thread has it. */
  cancel?: () => void;
  isSettled: boolean;
}

function poolClosed(): RecommenderError {
  return new RecommenderError("INTERRUPTED", "The threads were closed before the work was done.");
}

function threadCrashed(cause: unknown): RecommenderError {
  const message = "The thread that worked on the request ended unexpectedly; repeat the request.";
  return new RecommenderError("INTERRUPTED", message, { cause });
}
