import { setTimeout as sleep } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import type { VectorStore } from "../store/vector-store.js";

interface RetryOptions {
  /** How long a store may be away. */
  readonly maxWaitMs?: number;
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
  /** Told once each time that it goes away. */
  readonly onUnavailable?: (message: string) => void;
}

/** The same store for a long run: what it cannot do while its server is away is done again, since every change may be repeated. */
export function createRetryingStore(store: VectorStore, options: RetryOptions = {}): VectorStore {
  const { maxWaitMs = 120_000, pauseMs = 2_000, signal, onUnavailable = () => {} } = options;
  const patiently = async <T>(act: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        return await act();
      } catch (error) {
        const isAway = error instanceof RecommenderError && error.code === "STORE_UNAVAILABLE";
        if (!isAway || signal?.aborted || performance.now() - start > maxWaitMs) throw error;
        if (tries === 0) onUnavailable(error.message);
        await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      }
    }
  };
  return {
    ...store,
    write: (notebooks, make, stop) => patiently(() => store.write(notebooks, make, stop)),
    removeSource: (source, asked) => patiently(() => store.removeSource(source, asked)),
    missing: (ids) => patiently(() => store.missing(ids)),
    versions: (ids) => patiently(() => store.versions(ids)),
    settle: (asked) => patiently(() => store.settle(asked)),
  };
}
