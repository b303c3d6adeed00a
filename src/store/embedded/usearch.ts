import { createRequire } from "node:module";

/** The used part of usearch's interface. Its own ESM entry fails if no script file is run. */
export interface UsearchIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, k: number, threads: number): { keys: BigUint64Array; distances: Float32Array };
  size(): number;
  save(path: string): void;
  load(path: string): void;
  /** Memory-maps the file; nothing can be added afterwards. */
  view(path: string): void;
}

interface Usearch {
  Index: new (options: {
    dimensions: number;
    metric: string;
    quantization: string;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
    multi: boolean;
  }) => UsearchIndex;
  exactSearch(
    dataset: Float32Array | Int8Array,
    query: Float32Array | Int8Array,
    dimensions: number,
    count: number,
    metric: string,
    threads: number,
  ): { keys: BigUint64Array; distances: Float32Array };
}

/**
 * Parameters for building and searching the graph, which are also those of the benchmark's bare index. Vectors of bytes
 * take two thirds of the time of float16 and find the same neighbours, because the scores are computed from the float32
 * vectors. With 32 neighbours per node (`connectivity`), the graph is 64 bytes a cell larger, takes longer to build,
 * and finds the same ten nearest.
 */
export const GRAPH = {
  metric: "cos",
  quantization: "i8",
  connectivity: 24,
  expansion_add: 256,
  expansion_search: 256,
  multi: false,
} as const;

let loaded: Usearch | null | undefined;

/** usearch, or null if it has no build for this machine; every search then scans. */
export function loadUsearch(): Usearch | null {
  if (loaded === undefined) {
    try {
      loaded = createRequire(import.meta.url)("usearch") as Usearch;
    } catch {
      loaded = null;
    }
  }
  return loaded;
}
