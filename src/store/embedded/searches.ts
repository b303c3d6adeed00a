import type { Hit, LexicalQuery, SearchQuery, StoredCell } from "../vector-store.js";
import { type CellTable, restore } from "./cell-table.js";
import { damaged } from "./guard.js";
import { findNearest, type NearestLimits } from "./nearest.js";
import type { Index } from "./open-index.js";
import { restrict } from "./passing-rows.js";

/** The reads that need the cells in memory. */
export function createSearches(folder: string, limits: NearestLimits & { readonly vectorCacheBytes: number }) {
  const cache = createVectorCache(limits.vectorCacheBytes);
  let generation = "";
  /** Rows have other vectors in another generation. */
  const current = async ({ cells }: Index) => {
    const loaded = await cells.nearby();
    if (loaded.state.generation !== generation) cache.clear();
    generation = loaded.state.generation;
    return loaded;
  };

  return {
    forget: cache.clear,

    async search(index: Index, { vector, k, filter, notebooks, rough = false }: SearchQuery): Promise<Hit[]> {
      const { codec, reads } = index;
      const rows = notebooks && (await index.passing(notebooks));
      const { table: all, graph } = await current(index);
      const table = rows === undefined ? all : restrict(all, rows);
      const vectors = (rows: readonly number[]) => cache.through(rows, reads.vectors);
      return findNearest({ table, graph, vectors, limits }, { vector, k, passes: codec.compile(filter), rough });
    },

    async lexical(index: Index, { words: wanted, k, ties, filter, notebooks }: LexicalQuery): Promise<Hit[]> {
      const { cells, words, codec } = index;
      const rows = notebooks && (await index.passing(notebooks));
      const held = await words.nearby();
      const { table } = await cells.nearby();
      const passes = codec.compile(filter);
      const accepts = (row: number) => {
        const slot = table.slotOf(row);
        return slot !== -1 && table.accepts(slot, passes) && (rows === undefined || rows.has(row));
      };
      const found = held.search({ words: wanted, k, accepts, ...(ties && { ties }) });
      return found.map(({ row, score }) => ({ id: table.idOf(table.slotOf(row)), score }));
    },

    async vectors(index: Index, ids: readonly string[]): Promise<Map<string, Float32Array>> {
      const { reads } = index;
      const { table } = await current(index);
      const known = findSlots(table, ids);
      const rows = known.map(({ slot }) => table.rowOf(slot));
      const vectors =
        table.precision === "float"
          ? known.map(({ slot }) => table.vectorOf(slot) as Float32Array)
          : cache.through(rows, reads.vectors);
      const names = known.map(({ id }) => id);
      return copyVectors(names, vectors, table.dimensions);
    },

    /** Dequantized from memory, if the table is quantized. */
    async roughVectors(index: Index, ids: readonly string[]): Promise<Map<string, Float32Array>> {
      const { table } = await current(index);
      if (table.precision === "float") return this.vectors(index, ids);
      const known = findSlots(table, ids);
      const restored = new Float32Array(known.length * table.dimensions);
      return new Map(
        known.map(({ id, slot }, at) => {
          const vector = restored.subarray(at * table.dimensions, (at + 1) * table.dimensions);
          restore(table.vectorOf(slot) as Int8Array, vector);
          return [id, vector] as const;
        }),
      );
    },

    async profiles(index: Index, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
      const { table } = await current(index);
      const known = findSlots(table, ids);
      const found = index.reads.profiles(known.map(({ slot }) => table.rowOf(slot)));
      return new Map(known.flatMap(({ id }, at) => (found[at] == null ? [] : [[id, found[at]] as const])));
    },

    /** A cell that is found by its row but not by its id was not removed: the database is damaged. */
    async cells({ reads, cells }: Index, ids: readonly string[]): Promise<StoredCell[]> {
      const found = reads.cells(ids);
      if (found.length === ids.length) return found;
      const { table } = await cells.current();
      const again = reads.cells(ids);
      const known = new Set(again.map(({ id }) => id));
      const lost = ids.find((id) => !known.has(id) && table.slotOfId(id) !== -1);
      if (lost !== undefined) throw damaged(folder, `the cell ${lost} is not found by its id`);
      return again;
    },
  };
}

/** The slots of the ids that are in memory. */
function findSlots(table: CellTable, ids: readonly string[]): { readonly id: string; readonly slot: number }[] {
  return ids.flatMap((id) => {
    const slot = table.slotOfId(id);
    return slot === -1 ? [] : [{ id, slot }];
  });
}

/** Copies, so that callers cannot change stored vectors. One buffer for all: a hundred small allocations are slower. */
function copyVectors(
  ids: readonly string[],
  vectors: readonly (Float32Array | null)[],
  dimensions: number,
): Map<string, Float32Array> {
  const copies = new Float32Array(ids.length * dimensions);
  const found = new Map<string, Float32Array>();
  for (const [at, id] of ids.entries()) {
    const vector = vectors[at] ?? null;
    if (vector === null) continue;
    const copy = copies.subarray(at * dimensions, (at + 1) * dimensions);
    copy.set(vector);
    found.set(id, copy);
  }
  return found;
}

/** LRU cache of vectors by row: what a search found is usually requested again at once. */
export function createVectorCache(mostBytes: number) {
  const vectors = new Map<number, Float32Array>();
  let bytes = 0;

  return {
    /** The vectors of rows, in their order; those that are not here are read together. */
    through(
      rows: readonly number[],
      read: (missing: readonly number[]) => readonly (Float32Array | null)[],
    ): (Float32Array | null)[] {
      const missing = rows.filter((row) => !vectors.has(row));
      const found = missing.length === 0 ? [] : read(missing);
      const fresh = new Map(missing.map((row, index) => [row, found[index] ?? null]));
      const all = rows.map((row) => fresh.get(row) ?? vectors.get(row) ?? null);
      for (const [index, row] of rows.entries()) if (all[index] != null) put(row, all[index]);
      return all;
    },
    clear(): void {
      vectors.clear();
      bytes = 0;
    },
  };

  /** The map keeps insertion order: the first entry is the least recently used. */
  function put(row: number, vector: Float32Array): void {
    if (!vectors.delete(row)) bytes += vector.byteLength;
    vectors.set(row, vector);
    for (const [oldest, { byteLength }] of vectors) {
      if (bytes <= mostBytes) return;
      vectors.delete(oldest);
      bytes -= byteLength;
    }
  }
}
