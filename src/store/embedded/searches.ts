import { LRUCache } from "lru-cache";
import type { ScoredRow } from "../best-rows.js";
import type { LexicalIndex } from "../lexical-index.js";
import { isPackedProfile } from "../profile-pack.js";
import type { Hit, LexicalQuery, SearchQuery, StoredCell } from "../vector-store.js";
import { type CellTable, restore } from "./cell-table.js";
import { damaged } from "./disk-errors.js";
import { findNearest, type NearestLimits } from "./nearest.js";
import type { Index } from "./open-index.js";
import { restrict } from "./passing-rows.js";
import type { Loaded } from "./resident-cells.js";
import { createFoundNear, type FoundNear } from "./scan.js";

/** Maximum number of characters of cached cells. The same popular cells are found again and again. */
const MAX_CACHED_CHARACTERS = 1_000_000;

/** Reads that use the in-memory cells. */
export function createSearches(folder: string, limits: NearestLimits & { readonly vectorCacheBytes: number }) {
  const cache = createVectorCache(limits.vectorCacheBytes);
  const read = new LRUCache<string, StoredCell>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ code, clean }) => code.length + clean.length + 100,
  });
  let generation = "";
  /** A new generation has new vectors for the same rows. */
  const current = async ({ cells }: Index, question?: Question) => {
    const known = question?.cells;
    const loaded = known ?? (await cells.nearby());
    if (question !== undefined) question.cells = loaded;
    if (loaded.state.generation !== generation) forget();
    generation = loaded.state.generation;
    return loaded;
  };
  const forget = () => {
    cache.clear();
    read.clear();
  };

  return {
    forget,

    async search(index: Index, query: SearchQuery, question?: Question): Promise<Hit[]> {
      const { vector, k, filter, notebooks, rough = false } = query;
      const { codec, reads } = index;
      const rows = notebooks && (await index.passing(notebooks));
      const { table: all, graph } = await current(index, question);
      const table = rows === undefined ? all : restrict(all, rows);
      const vectors = (rows: readonly number[]) => cache.through(rows, reads.vectors);
      const found = question?.foundNear(vector, all);
      return findNearest(
        { table, graph, vectors, limits, ...(found && { found }) },
        { vector, k, passes: codec.compile(filter), rough },
      );
    },

    async lexical(index: Index, query: LexicalQuery, question?: Question): Promise<Hit[]> {
      const { words: wanted, k, ties, filter, notebooks } = query;
      const { words, codec } = index;
      const rows = notebooks && (await index.passing(notebooks));
      const held = question?.words ?? (await words.nearby());
      if (question !== undefined) question.words = held;
      const { table } = await current(index, question);
      const passes = codec.compile(filter);
      const isHeld = (row: number) => table.slotOf(row) !== -1 && (rows === undefined || rows.has(row));
      const isPassing = (row: number) => table.accepts(table.slotOf(row), passes);
      const toHits = (found: readonly ScoredRow[]) =>
        found.map(({ row, score }) => ({ id: table.idOf(table.slotOf(row)), score }));
      const search = { words: wanted, k, accepts: isHeld, ...(ties && { ties }) };
      if (filter === undefined) return question?.foundByWords(query) ?? toHits(held.search(search));
      if (question === undefined)
        return toHits(held.search({ ...search, accepts: (row) => isHeld(row) && isPassing(row) }));
      const { passing, all } = held.searchBoth(search, isPassing);
      question.rememberByWords(query, () => toHits(all()));
      return toHits(passing);
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

    /** Vectors from memory; restored from bytes if the table is quantized. */
    async roughVectors(index: Index, ids: readonly string[], question?: Question): Promise<Map<string, Float32Array>> {
      const { table } = await current(index, question);
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

    /** Profiles from memory, or from the database for rows that are not in memory. */
    async profiles(index: Index, ids: readonly string[], question?: Question): Promise<Map<string, Uint8Array>> {
      const { table, profiles } = await current(index, question);
      const found = new Map<string, Uint8Array>();
      const others: { readonly id: string; readonly row: number }[] = [];
      for (const { id, slot } of findSlots(table, ids)) {
        const row = table.rowOf(slot);
        const kept = profiles.get(row);
        if (kept !== null) found.set(id, kept);
        else others.push({ id, row });
      }
      if (others.length === 0) return found;
      const read = index.reads.profiles(others.map(({ row }) => row));
      for (const [at, { id }] of others.entries()) {
        const packed = read[at] ?? null;
        if (packed !== null && isPackedProfile(packed)) found.set(id, packed);
      }
      return found;
    },

    /** Like `cells`, for one question. Cells that an earlier question read are in memory. */
    async cellsFor(index: Index, ids: readonly string[], question: Question): Promise<StoredCell[]> {
      const { table } = await current(index, question);
      // A cached cell may have been removed since.
      const cells = ids.map((id) => (table.slotOfId(id) === -1 ? undefined : read.get(id)));
      const missing = ids.filter((_, at) => cells[at] === undefined);
      if (missing.length === 0) return cells as StoredCell[];
      const fresh = new Map((await this.cells(index, missing)).map((cell) => [cell.id, cell]));
      for (const cell of fresh.values()) read.set(cell.id, cell);
      return ids.flatMap((id, at) => cells[at] ?? fresh.get(id) ?? []);
    },

    /** A cell that is found by row but not by id means that the database is damaged. */
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

/** Search results of one request, so that the same search without a filter need not be repeated. */
export interface Question {
  /** The in-memory cells and words: one state for the whole request. */
  cells: Loaded | null;
  words: LexicalIndex | null;
  foundNear(vector: Float32Array, table: CellTable): FoundNear;
  rememberByWords(query: LexicalQuery, hits: () => Hit[]): void;
  /** The hits without a filter; null if the last filtered search was for another vector. */
  foundByWords(query: LexicalQuery): Hit[] | null;
}

export function createQuestion(): Question {
  let near: { readonly vector: Float32Array; readonly cells: unknown; readonly found: FoundNear } | null = null;
  let byWords: { readonly query: LexicalQuery; readonly hits: () => Hit[] } | null = null;
  return {
    cells: null,
    words: null,
    foundNear(vector, { blocks }) {
      if (near?.vector !== vector || near.cells !== blocks) near = { vector, cells: blocks, found: createFoundNear() };
      return near.found;
    },
    rememberByWords(query, hits) {
      byWords = { query, hits };
    },
    foundByWords({ words, k, notebooks }) {
      const last = byWords?.query;
      return last?.words === words && last.k === k && last.notebooks === notebooks ? byWords!.hits() : null;
    },
  };
}

/** The slots of those ids that are in memory. */
function findSlots(table: CellTable, ids: readonly string[]): { readonly id: string; readonly slot: number }[] {
  return ids.flatMap((id) => {
    const slot = table.slotOfId(id);
    return slot === -1 ? [] : [{ id, slot }];
  });
}

/**
 * Copies the vectors, so callers cannot change the stored ones. One buffer for all, because a hundred small allocations
 * are slower.
 */
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

/** LRU cache of vectors by row: the hits of a search are usually requested right after it. */
export function createVectorCache(maxBytes: number) {
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
      if (bytes <= maxBytes) return;
      vectors.delete(oldest);
      bytes -= byteLength;
    }
  }
}
