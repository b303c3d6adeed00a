import { existsSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBestRows } from "../best-rows.js";
import type { CellTable } from "./cell-table.js";
import { best, type Candidate, offerNearest } from "./scan.js";
import type { Snapshots } from "./snapshots.js";
import type { IndexState } from "./state.js";
import { GRAPH, loadUsearch, type UsearchIndex } from "./usearch.js";

/** usearch expands at least as many nodes as requested, so the pool size alone decides the recall. */
const MIN_EXPANSION = 16;

/** Share of additional candidates that each part returns, because the nearest rows may be spread unevenly. */
const POOL_SURPLUS = 0.1;
/** Minimum candidates per part: with fewer, its recall is too low. */
const MIN_POOL_SIZE = 128;

/** One file of the graph: the rows after `after`, up to `row`, as keys. Read-only; a larger file replaces it. */
export interface GraphPart {
  readonly file: string;
  readonly after: number;
  readonly row: number;
  readonly index: UsearchIndex;
}

/** Finds neighbours in the parts of the graph, and in the tail: the rows that no part covers yet. */
export interface Graph {
  readonly parts: readonly GraphPart[];
  readonly tail: Tail;
  /**
   * At least `count` rows if there are as many, nearest first by the graph's own measure. Removed rows are left out.
   */
  search(table: CellTable, query: Int8Array, count: number): Candidate[];
}

export function createGraph(parts: readonly GraphPart[], tail: Tail): Graph {
  return {
    parts,
    tail,
    search(table, query, count) {
      const found: Candidate[] = [];
      const take = (row: number, score: number) => {
        const slot = table.slotOf(row);
        if (slot !== -1) found.push({ slot, score });
      };
      const numbers = new Float32Array(query);
      const total = parts.reduce((sum, { index }) => sum + index.size(), 0);
      for (const { index } of parts) {
        const share = Math.ceil(count * Math.min(1, index.size() / total + POOL_SURPLUS));
        const poolSize = Math.min(count, Math.max(share, MIN_POOL_SIZE), index.size());
        const { keys, distances } = index.search(numbers, poolSize, 1);
        for (let at = 0; at < keys.length; at += 1) take(Number(keys[at]), 1 - distances[at]!);
      }
      for (const { row, score } of tail.search(query, count)) take(row, score);
      return best(found, found.length);
    },
  };
}

/**
 * Memory-maps a part's file; null if it is missing or of another version. Checked first, because usearch closes a
 * foreign file descriptor if the file is missing.
 */
export function viewPart(path: string, dimensions: number): UsearchIndex | null {
  const usearch = loadUsearch();
  if (usearch === null || !existsSync(path)) return null;
  try {
    const index = new usearch.Index({ dimensions, ...GRAPH, expansion_search: MIN_EXPANSION });
    index.view(path);
    return index.size() === 0 ? null : index;
  } catch {
    return null;
  }
}

/** The few rows that no graph covers yet. Their vectors are consecutive bytes, which are scanned. */
interface Tail {
  readonly length: number;
  add(row: number, bytes: Int8Array): void;
  /** The nearest `count` rows with their scores, best first, including rows that were removed since. */
  search(query: Int8Array, count: number): { row: number; score: number }[];
}

export function createTail(dimensions: number): Tail {
  let rows = new Uint32Array(256);
  let bytes = new Int8Array(256 * dimensions);
  let length = 0;

  return {
    get length() {
      return length;
    },
    add(row, vector) {
      if (length === rows.length) {
        const more = new Uint32Array(2 * length);
        const wider = new Int8Array(2 * length * dimensions);
        more.set(rows);
        wider.set(bytes);
        rows = more;
        bytes = wider;
      }
      rows[length] = row;
      bytes.set(vector, length * dimensions);
      length += 1;
    },
    search(query, count) {
      const best = createBestRows(count);
      offerNearest(best, bytes.subarray(0, length * dimensions), query, count, (at) => rows[at]!);
      return best.sorted();
    },
  };
}

/** Changes with the parameters of the graph. */
export const GRAPH_FORMAT = "graph-2";

/** Loads the saved parts of the graph, from the first row up to the first gap or damaged part. */
export async function loadParts(snapshots: Snapshots, state: IndexState, dimensions: number): Promise<GraphPart[]> {
  const parts: GraphPart[] = [];
  for (const snapshot of snapshots.find("graph", GRAPH_FORMAT, state)) {
    const { row, parts: facts } = snapshot.facts;
    if (facts.after !== (parts.at(-1)?.row ?? 0) || facts.dimensions !== dimensions) continue;
    const isWhole = await snapshots.read(snapshot, async (sealed) => {
      while (sealed.skip()) await nextTurn();
      return true;
    });
    const index = isWhole ? viewPart(snapshots.pathOf(snapshot.file), dimensions) : null;
    if (index === null) return parts;
    parts.push({ file: snapshot.file, after: facts.after!, row, index });
  }
  return parts;
}
