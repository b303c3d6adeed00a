import { RecommenderError } from "../../errors.js";
import type { ThreadFacts } from "./protocol.js";
import { startThread, type Thread, type ThreadOptions } from "./thread.js";

export interface TeamOptions extends ThreadOptions {
  readonly size: number;
  /** Calls that a thread is given at once: what waits here can still be taken back. */
  readonly ahead: number;
}

/** Threads that do the same. One that dies is replaced by the next call. */
export interface Team {
  /** Calls that no thread has been given yet. */
  waiting(): number;
  /** From now on there are so many threads; never fewer than before. */
  grow(size: number): void;
  /** Starts all threads; rejects with what keeps one from starting. */
  start(): Promise<ThreadFacts>;
  /** In the order of the calls. */
  call<T>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<T>;
  /** Past those that wait: for probes. */
  callNow<T>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<T>;
  /** Each thread once. */
  callAll(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  give(thread: Thread): void;
  refuse(reason: unknown): void;
  isGone(): boolean;
}

export function createTeam({ size, ahead, ...options }: TeamOptions): Team {
  const threads: (Thread | null)[] = Array.from({ length: size }, () => null);
  const queue: Waiting[] = [];
  let isClosed = false;

  const living = (): Thread[] =>
    threads.map((thread, at) => {
      if (thread !== null && !thread.isDead) return thread;
      const started = startThread(options, assign);
      threads[at] = started;
      return started;
    });
  const idlest = () => living().reduce((best, each) => (each.running < best.running ? each : best));

  function assign(): void {
    if (isClosed) return;
    while (queue.length > 0) {
      const thread = idlest();
      if (thread.running >= ahead) return;
      const next = queue.shift()!;
      if (!next.isGone()) next.give(thread);
    }
  }

  const callNow = async <T>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<T> => {
    if (isClosed) throw closed();
    return idlest().call<T>(name, args, signal);
  };

  return {
    waiting: () => queue.length,
    grow(wanted) {
      while (threads.length < wanted) threads.push(null);
    },
    async start() {
      const [facts] = await Promise.all(living().map(({ ready }) => ready));
      return facts!;
    },
    call: <T>(name: string, args: readonly unknown[], signal?: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        if (isClosed) return reject(closed());
        if (signal?.aborted) return reject(signal.reason);
        let isGiven = false;
        const leave = () => {
          if (!isGiven) reject(signal!.reason);
        };
        signal?.addEventListener("abort", leave, { once: true });
        queue.push({
          give(thread) {
            isGiven = true;
            signal?.removeEventListener("abort", leave);
            thread.call<T>(name, args, signal).then(resolve, reject);
          },
          refuse: reject,
          isGone: () => signal?.aborted ?? false,
        });
        assign();
      }),
    callNow,
    async callAll(name, args, signal) {
      if (isClosed) throw closed();
      await Promise.all(living().map((thread) => thread.call(name, args, signal)));
    },
    async close() {
      isClosed = true;
      for (const each of queue.splice(0)) each.refuse(closed());
      await Promise.all(threads.map((thread) => thread?.close()));
    },
  };
}

function closed(): RecommenderError {
  return new RecommenderError("INTERRUPTED", "The service is stopping.");
}
