import { performance } from "node:perf_hooks";
import type { StoredCell } from "../vector-store.js";

interface Entry {
  readonly vector: Float32Array;
  /** The write that brought it. */
  readonly made: string;
  /** When a search last found the cell, so that it was there. */
  seen: number;
}

/**
 * Cells and vectors that were read before: reading them again takes longer than finding them. An id is its content, so they stay
 * right for as long as their collection; whether the cell is still there is another question, which a search has to answer.
 */
export interface CellCache {
  /** The vectors of cells that a search of this collection has just found. */
  found(collection: string, ids: readonly string[]): Map<string, Entry>;
  /** Those of cells that a search found so short a time ago that they may be taken for there. */
  vectors(collection: string, ids: readonly string[]): Map<string, Float32Array>;
  /** Such cells themselves. */
  cells(collection: string, ids: readonly string[]): Map<string, StoredCell>;
  put(collection: string, id: string, cell: { readonly vector: Float32Array; readonly made: string }): void;
  putCell(collection: string, cell: StoredCell): void;
}

const MOST_BYTES = 64 * 2 ** 20;
/** What an entry takes besides its vector or its text. */
const ENTRY_BYTES = 300;

/** `lifeMs` is how long a bounded read may lag behind. */
export function createCellCache(lifeMs: number): CellCache {
  let owner = "";
  let entries = createLru<Entry>(({ vector }) => vector.byteLength);
  let texts = createLru<StoredCell>(({ code, clean }) => code.length + clean.length);

  const of = (collection: string) => {
    if (collection === owner) return;
    owner = collection;
    entries = createLru(({ vector }) => vector.byteLength);
    texts = createLru(({ code, clean }) => code.length + clean.length);
  };
  const isFresh = (id: string) => (entries.get(id)?.seen ?? Number.NEGATIVE_INFINITY) >= performance.now() - lifeMs;

  return {
    found(collection, ids) {
      of(collection);
      const now = performance.now();
      const hits = pick(ids, (id) => entries.get(id));
      for (const entry of hits.values()) entry.seen = now;
      return hits;
    },
    vectors(collection, ids) {
      of(collection);
      return pick(ids, (id) => (isFresh(id) ? entries.get(id)?.vector : undefined));
    },
    cells(collection, ids) {
      of(collection);
      return pick(ids, (id) => (isFresh(id) ? texts.get(id) : undefined));
    },
    put(collection, id, { vector, made }) {
      of(collection);
      entries.put(id, { vector, made, seen: performance.now() });
    },
    putCell(collection, cell) {
      of(collection);
      texts.put(cell.id, cell);
    },
  };
}

function pick<T>(ids: readonly string[], get: (id: string) => T | undefined): Map<string, T> {
  const found = new Map<string, T>();
  for (const id of ids) {
    const value = get(id);
    if (value !== undefined) found.set(id, value);
  }
  return found;
}

/** Forgets what was used longest ago. */
function createLru<T>(bytesOf: (value: T) => number) {
  const kept = new Map<string, T>();
  let bytes = 0;
  const drop = (id: string) => {
    const value = kept.get(id);
    if (value === undefined) return;
    kept.delete(id);
    bytes -= bytesOf(value) + ENTRY_BYTES;
  };
  return {
    get(id: string): T | undefined {
      const value = kept.get(id);
      if (value === undefined) return undefined;
      // The end of a map is what was used last.
      kept.delete(id);
      kept.set(id, value);
      return value;
    },
    put(id: string, value: T): void {
      drop(id);
      kept.set(id, value);
      bytes += bytesOf(value) + ENTRY_BYTES;
      for (const oldest of kept.keys()) {
        if (bytes <= MOST_BYTES) return;
        drop(oldest);
      }
    },
  };
}
