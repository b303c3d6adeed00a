import { Worker } from "node:worker_threads";
import { type FromThread, splitTransfer, type ToThread, unpackError } from "./thread-protocol.js";
import { oncePerTurn } from "./turns.js";

export interface ThreadOptions {
  /** The compiled module that the thread runs; it calls `serveThread`. */
  readonly module: string;
  /** The `workerData` of the thread. */
  readonly data?: unknown;
  readonly memory?: MemoryLimits;
}

/** The used part of Node's `ResourceLimits`. */
export interface MemoryLimits {
  readonly maxOldGenerationSizeMb?: number;
  readonly maxYoungGenerationSizeMb?: number;
}

export interface CallOptions {
  /** Rejects the call at once, and cancels it in the thread. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Values that are sent before the call, one per turn of the event loop, so that packing much data does not block the
   * loop.
   */
  readonly chunks?: Iterable<unknown>;
  /** Receives the values that the handler streams before its answer. */
  readonly onReport?: (value: never) => void;
}

/** A call that waits for its answer. */
export interface ThreadCall extends Omit<CallOptions, "signal"> {
  readonly name: string;
  readonly input: unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How a thread ended, and its unanswered calls in the order in which they were sent. */
export interface ThreadExit {
  readonly calls: readonly ThreadCall[];
  /** False if the thread never became ready; a new one would fail too. */
  readonly wasReady: boolean;
  readonly timedOut: boolean;
  readonly cause: unknown;
}

interface ThreadEvents {
  onReady(thread: Thread): void;
  onSettled(thread: Thread): void;
  onExit(thread: Thread, exit: ThreadExit): void;
}

export interface Thread {
  /** Number of unanswered calls. */
  readonly running: number;
  readonly isReady: boolean;
  /** Resolves with the message of the ready thread; rejects if it cannot start. */
  readonly ready: Promise<unknown>;
  /** Returns a function that cancels the call in the thread. */
  send(call: ThreadCall): () => void;
  /** Ends the thread because a call took too long. */
  timeOut(): void;
  /** Resolves when the thread has ended. With `isForced`, the thread cannot close its resources. */
  close(isForced: boolean): Promise<void>;
}

/** Time limit for closing; then the thread is terminated. */
const MAX_CLOSE_MS = 10_000;

/** Starts one worker thread. An idle one does not keep the process alive. */
export function startThread({ module, data, memory }: ThreadOptions, events: ThreadEvents): Thread {
  const worker = new Worker(module, { workerData: data, ...(memory && { resourceLimits: memory }) });
  const calls = new Map<number, ThreadCall>();
  let onReady: (facts: unknown) => void = () => {};
  let onFailed: (cause: unknown) => void = () => {};
  const ready = new Promise<unknown>((resolve, reject) => {
    onReady = resolve;
    onFailed = reject;
  });
  ready.catch(() => {});
  let lastId = 0;
  let isReady = false;
  let isDead = false;
  let isClosing = false;
  let timedOut = false;
  let cause: unknown;
  const post = (message: ToThread, list: readonly ArrayBuffer[] = []) =>
    worker.postMessage(message, [...list] as never);
  const unrefIfIdle = () => {
    if (calls.size === 0 && !isClosing) worker.unref();
  };

  worker.on("message", (message: FromThread) => {
    if ("ready" in message) {
      isReady = true;
      unrefIfIdle();
      onReady(message.ready);
      return events.onReady(thread);
    }
    if ("failed" in message) {
      cause = unpackError(message.failed);
      return;
    }
    const call = calls.get(message.call)!;
    if ("report" in message) return call.onReport?.(message.report as never);
    calls.delete(message.call);
    unrefIfIdle();
    if ("value" in message) call.resolve(message.value);
    else call.reject(unpackError(message.error));
    events.onSettled(thread);
  });
  worker.on("error", (error) => {
    cause = error;
  });
  worker.once("exit", (code) => {
    isDead = true;
    cause ??= new Error(`The thread ended with code ${code}.`);
    onFailed(cause);
    events.onExit(thread, { calls: [...calls.values()], wasReady: isReady, timedOut, cause });
    calls.clear();
  });

  const sendChunks = async (id: number, chunks: Iterable<unknown>) => {
    for await (const chunk of oncePerTurn(chunks)) {
      if (isDead) return;
      const { value, list } = splitTransfer(chunk);
      post({ chunk: value, of: id }, list);
    }
  };

  const thread: Thread = {
    get running() {
      return calls.size;
    },
    get isReady() {
      return isReady;
    },
    ready,
    send(call) {
      lastId += 1;
      const id = lastId;
      calls.set(id, call);
      worker.ref();
      const { name, chunks } = call;
      const { value, list } = splitTransfer(call.input);
      const postCall = () => post({ call: id, name, input: value }, list);
      if (chunks === undefined) postCall();
      else void sendChunks(id, chunks).then(postCall);
      return () => post({ cancel: id });
    },
    timeOut() {
      timedOut = true;
      void worker.terminate();
    },
    async close(isForced) {
      if (isDead) return;
      isClosing = true;
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      // Keeps the process alive until the thread has ended.
      worker.ref();
      if (isForced) void worker.terminate();
      else post({ close: true });
      const forced = setTimeout(() => void worker.terminate(), MAX_CLOSE_MS);
      await ended;
      clearTimeout(forced);
    },
  };
  return thread;
}
