import { Worker } from "node:worker_threads";
import { RecommenderError } from "../../errors.js";
import { unpackError } from "../../threads/crossing-error.js";
import type { FromThread, ThreadFacts, ToThread } from "./protocol.js";

export interface ThreadOptions {
  /** The module that the thread runs. */
  readonly module: string;
  /** What it is started with. */
  readonly data: unknown;
}

/** One thread that is asked by name. */
export interface Thread {
  /** Calls that it has not answered. */
  readonly running: number;
  readonly isDead: boolean;
  /** What it says of itself; rejects where it cannot start. */
  readonly ready: Promise<ThreadFacts>;
  /** The thread is told when the signal is aborted; the promise rejects at once. */
  call<T>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<T>;
  /** Has the thread close what it opened, and ends it. */
  close(): Promise<void>;
}

/** An answer leaves little behind; with the usual room for what is new, the memory of a thread grows by twice as much. */
const MEMORY = { maxYoungGenerationSizeMb: 24 };
/** A thread that has not ended by itself after so long hangs. */
const LONGEST_END_MS = 10_000;

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** `onIdle` is told whenever an answer has come. */
export function startThread({ module, data }: ThreadOptions, onIdle: () => void): Thread {
  const worker = new Worker(module, { workerData: data, resourceLimits: MEMORY });
  const pending = new Map<number, Pending>();
  let last = 0;
  let isDead = false;
  let cause: unknown;
  let isReady: (facts: ThreadFacts) => void = () => {};
  let cannotStart: (reason: unknown) => void = () => {};
  const ready = new Promise<ThreadFacts>((resolve, reject) => {
    isReady = resolve;
    cannotStart = reject;
  });
  ready.catch(() => {});

  worker.on("message", (message: FromThread) => {
    if ("ready" in message) return isReady(message.ready);
    if ("failed" in message) return cannotStart(unpackError(message.failed));
    const call = pending.get(message.call);
    pending.delete(message.call);
    if ("value" in message) call?.resolve(message.value);
    else call?.reject(unpackError(message.error));
    onIdle();
  });
  worker.on("error", (error) => {
    cause = error;
  });
  worker.once("exit", () => {
    isDead = true;
    const died = new RecommenderError("INTERRUPTED", "The thread that worked on it has ended.", { cause });
    cannotStart(cause ?? died);
    for (const { reject } of pending.values()) reject(died);
    pending.clear();
    onIdle();
  });

  const call = <T>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      last += 1;
      const id = last;
      const stop = () => {
        worker.postMessage({ cancel: id } satisfies ToThread);
        reject(signal!.reason);
      };
      const settled = () => signal?.removeEventListener("abort", stop);
      signal?.addEventListener("abort", stop, { once: true });
      pending.set(id, {
        resolve(value) {
          settled();
          resolve(value as T);
        },
        reject(error) {
          settled();
          reject(error);
        },
      });
      worker.postMessage({ call: id, name, args } satisfies ToThread);
    });

  return {
    get running() {
      return pending.size;
    },
    get isDead() {
      return isDead;
    },
    ready,
    call,
    async close() {
      if (isDead) return;
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      const hangs = setTimeout(() => void worker.terminate(), LONGEST_END_MS);
      void ready.then(() => call("close", [])).catch(() => {});
      await ended;
      clearTimeout(hangs);
    },
  };
}
