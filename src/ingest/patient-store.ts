import { setTimeout as sleep } from "node:timers/promises";
import { RecommenderError } from "../errors.js";
import type { VectorStore } from "../store/vector-store.js";

export interface Patience {
  /** How long a store may be away. */
  readonly patienceMs?: number;
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
  /** Told once each time that it goes away. */
  readonly onAway?: (message: string) => void;
}

/** The same store for a long run: what it cannot do while its server is away is done again, since every change may be repeated. */
export function createPatientStore(store: VectorStore, options: Patience = {}): VectorStore {
  const { patienceMs = 120_000, pauseMs = 2_000, signal, onAway = () => {} } = options;
  const patiently = async <T>(act: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        return await act();
      } catch (error) {
        const isAway = error instanceof RecommenderError && error.code === "STORE_UNAVAILABLE";
        if (!isAway || signal?.aborted || performance.now() - start > patienceMs) throw error;
        if (tries === 0) onAway(error.message);
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
