import { performance } from "node:perf_hooks";

/** Vectors of the cells that were found a moment ago, which the next question is mostly about. */
export interface VectorCache {
  get(collection: string, ids: readonly string[]): Map<string, Float32Array>;
  put(collection: string, id: string, vector: Float32Array): void;
}

const MOST = 4_096;

/** Nothing is kept longer than a bounded read may lag behind. */
export function createVectorCache(lifeMs: number): VectorCache {
  let kept = new Map<string, { readonly vector: Float32Array; readonly at: number }>();
  let owner = "";
  return {
    get(collection, ids) {
      const found = new Map<string, Float32Array>();
      if (collection !== owner) return found;
      const oldest = performance.now() - lifeMs;
      for (const id of ids) {
        const entry = kept.get(id);
        if (entry !== undefined && entry.at >= oldest) found.set(id, entry.vector);
      }
      return found;
    },
    put(collection, id, vector) {
      if (collection !== owner || kept.size >= MOST) kept = new Map();
      owner = collection;
      kept.set(id, { vector, at: performance.now() });
    },
  };
}
