import { join } from "node:path";
import { exactCandidates } from "./exact-candidates.js";
import { findSnapshot, replaceSnapshot } from "./snapshots.js";
import { GRAPH, loadUsearch, type UsearchIndex } from "./usearch.js";
import type { VectorTable } from "./vector-table.js";

/** Rows that are added to the graph at one go; between two goes other work gets its turn. */
const SLICE = 512;
/** A tail longer than this costs more to scan than the graph saves. */
const LONGEST_TAIL = 50_000;
/** Removed rows stay in the graph; when it holds this many times the rows that are there, it is made anew. */
const MOST_DEAD = 1.5;
const NAME = "graph";

/**
 * The graph over a table's vectors, keyed by database row. It is derived: it covers the rows up to some one, the rest (the
 * tail) is scanned until it is added, and it can be thrown away at any time.
 */
export interface AnnIndex {
  /** Whether searching the graph and scanning the tail beats scanning everything. */
  isUseful(slots: number): boolean;
  /** Slots, nearest first by the graph's own measure. */
  candidates(table: VectorTable, query: Float32Array, count: number): number[];
  /** Adds the next rows of the tail; false when there is none left. */
  grow(table: VectorTable): boolean;
  /** Reads the snapshot of this generation, if there is a good one. */
  load(folder: string, generation: string, table: VectorTable): void;
  /** Writes a snapshot, unless the one on disk covers as much. */
  save(folder: string, generation: string): void;
}

export function createAnnIndex(dimensions: number): AnnIndex {
  const usearch = loadUsearch();
  let graph: UsearchIndex | null = null;
  /** Slots before this one are in the graph. */
  let covered = 0;
  let lastRow = 0;
  let savedRow = 0;
  const make = () => new usearch!.Index({ dimensions, ...GRAPH });

  return {
    isUseful: (slots) => graph !== null && slots - covered <= LONGEST_TAIL,
    candidates(table, query, count) {
      const slots: number[] = [];
      const fetch = Math.min(count, graph!.size());
      for (const key of fetch === 0 ? [] : graph!.search(query, fetch, 1).keys) {
        const slot = table.slotOf(Number(key));
        if (slot !== -1) slots.push(slot);
      }
      return covered < table.slots ? slots.concat(exactCandidates(table, query, count, covered)) : slots;
    },
    grow(table) {
      if (usearch === null || covered >= table.slots) return false;
      graph ??= make();
      const end = Math.min(covered + SLICE, table.slots);
      const slots = range(covered, end).filter((slot) => table.isAlive(slot));
      const vectors = new Float32Array(slots.length * dimensions);
      for (const [place, slot] of slots.entries()) vectors.set(table.vectorOf(slot), place * dimensions);
      const rows = slots.map((slot) => BigInt(table.rowOf(slot)));
      if (slots.length > 0) graph.add(BigUint64Array.from(rows), vectors, 0);
      covered = end;
      lastRow = table.rowOf(end - 1);
      return covered < table.slots;
    },
    load(folder, generation, table) {
      const snapshot = findSnapshot(folder, NAME, generation);
      if (usearch === null || snapshot === null) return;
      try {
        graph = make();
        graph.load(join(folder, snapshot.file));
      } catch {
        // Another version's: the graph is made anew.
        graph = null;
        return;
      }
      covered = firstSlotAfter(table, snapshot.row);
      savedRow = lastRow = snapshot.row;
      if (graph.size() > MOST_DEAD * covered) {
        graph = null;
        covered = savedRow = lastRow = 0;
      }
    },
    save(folder, generation) {
      if (graph === null || lastRow === savedRow) return;
      const saved = graph;
      replaceSnapshot(folder, NAME, generation, lastRow, (path) => saved.save(path));
      savedRow = lastRow;
    },
  };
}

function firstSlotAfter(table: VectorTable, row: number): number {
  let low = 0;
  let high = table.slots;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.rowOf(middle) <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, place) => from + place);
}
