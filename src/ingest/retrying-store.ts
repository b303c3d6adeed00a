import { setTimeout as sleep } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import type { VectorStore } from "../store/vector-store.js";

interface RetryOptions {
  /** How long to retry while the store is unavailable. */
  readonly maxWaitMs?: number;
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
  /** Called once each time the store becomes unavailable. */
  readonly onUnavailable?: (message: string) => void;
}

/**
 * Wraps a store for long runs: calls that fail because its server is unavailable are retried, which is safe since all
 * writes are idempotent.
 */
export function createRetryingStore(store: VectorStore, options: RetryOptions = {}): VectorStore {
  const { maxWaitMs = 120_000, pauseMs = 2_000, signal, onUnavailable = () => {} } = options;
  const withRetries = async <T>(act: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        return await act();
      } catch (error) {
        const isUnavailable = error instanceof RecommenderError && error.code === "STORE_UNAVAILABLE";
        if (!isUnavailable || signal?.aborted || performance.now() - start > maxWaitMs) throw error;
        if (tries === 0) onUnavailable(error.message);
        await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      }
    }
  };
  return {
    ...store,
    write: (notebooks, make, stop) => withRetries(() => store.write(notebooks, make, stop)),
    sources: () => withRetries(() => store.sources()),
    removeSource: (source, removal) => withRetries(() => store.removeSource(source, removal)),
    missing: (ids) => withRetries(() => store.missing(ids)),
    versions: (ids) => withRetries(() => store.versions(ids)),
    settle: (settleOptions) => withRetries(() => store.settle(settleOptions)),
  };
}

/**
 * The store of a command: an unavailable server is an error at the start, but a later outage of a minute is waited for.
 */
export async function openRetryingStore(
  store: VectorStore,
  signal: AbortSignal,
  note: (message: string) => void,
): Promise<VectorStore> {
  if (store.name !== "milvus") return store;
  await store.open();
  return createRetryingStore(store, { signal, onUnavailable: (message) => note(`${message} Waiting for it.`) });
}
