/** Work that several callers wait for. */
interface Shared<T> {
  readonly promise: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Runs the work once for equal requests that arrive at the same time. It is aborted when no caller waits any more; a
 * caller that aborts earlier gets the reason of its own signal.
 */
export function coalesce<R, T>(
  work: (request: R, signal: AbortSignal) => Promise<T>,
): (request: R, signal?: AbortSignal) => Promise<T> {
  const running = new Map<string, Shared<T>>();

  const join = (request: R): [string, Shared<T>] => {
    const key = JSON.stringify(request);
    const found = running.get(key);
    if (found !== undefined) return [key, found];
    const stop = new AbortController();
    const shared = { promise: work(request, stop.signal), stop, waiting: 0 };
    running.set(key, shared);
    const forget = () => {
      if (running.get(key) === shared) running.delete(key);
    };
    shared.promise.then(forget, forget);
    return [key, shared];
  };

  return async (request, signal) => {
    signal?.throwIfAborted();
    const [key, shared] = join(request);
    shared.waiting += 1;
    let onAbort = () => {};
    const gone = new Promise<null>((resolve) => {
      onAbort = () => resolve(null);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const answer = await Promise.race([shared.promise.then((value) => ({ value })), gone]);
      if (answer !== null) return answer.value;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      shared.waiting -= 1;
    }
    if (shared.waiting === 0) {
      running.delete(key);
      shared.stop.abort();
      shared.promise.catch(() => {});
    }
    throw signal!.reason;
  };
}
