import { cosine } from "../../embed/embedder.js";
import { createBestRows } from "../best-rows.js";
import { BLOCK, type CellTable, isShared, type Passes } from "./cell-table.js";
import { loadUsearch } from "./usearch.js";

type Vector = Float32Array | Int8Array;

/** A slot with its score. */
export interface Candidate {
  readonly slot: number;
  readonly score: number;
}

/**
 * Caches the results for one vector, best first, for searches with other filters. `find` is called if fewer than
 * `count` results are cached.
 */
export interface FoundNear {
  atLeast(count: number, find: (count: number) => readonly Candidate[]): { count: number; found: readonly Candidate[] };
}

export function createFoundNear(): FoundNear {
  let known: { readonly count: number; readonly found: readonly Candidate[] } = { count: -1, found: [] };
  return {
    atLeast(count, find) {
      if (known.count < count) known = { count, found: find(count) };
      return known;
    },
  };
}

interface Scanned {
  /** At least `count` passing slots if there are as many, best first. */
  readonly candidates: readonly Candidate[];
  /** No other slot has a higher score. */
  readonly bound: number;
}

/**
 * If fewer than this share of the slots pass, those are gathered and scanned; otherwise all are scanned, then filtered.
 */
const MIN_SHARE = 0.1;
/** Number of vectors gathered at a time. */
const GATHER_BATCH = 4_096;

/** Costs relative to comparing a vector in place: testing a slot, and copying and comparing a passing one. */
const TEST_COST = 0.1;
const COPY_COST = 2;

/** Cost of a scan, in vector comparisons. */
export function costOfScan(table: CellTable, passes: Passes): number {
  const matches = table.count(passes);
  return matches / table.slots >= MIN_SHARE ? table.slots : TEST_COST * table.slots + COPY_COST * matches;
}

/** Finds the nearest passing slots by comparing every vector. */
export function scan(
  table: CellTable,
  query: Vector,
  count: number,
  passes: Passes,
  found: FoundNear = createFoundNear(),
): Scanned {
  const matches = table.count(passes);
  const share = matches / table.slots;
  if (share >= MIN_SHARE) {
    const { count: looked, found: nearest } = found.atLeast(Math.ceil((1.2 * count) / share), (max) =>
      scanAll(table, query, max),
    );
    const scanned = toScanned(nearest, looked, (slot) => table.accepts(slot, passes));
    if (scanned.candidates.length >= Math.min(count, matches)) return scanned;
  }
  return scanPassing(table, query, count, passes);
}

function scanAll(table: CellTable, query: Vector, count: number): readonly Candidate[] {
  const best = createBestRows(count);
  for (const [index, { vectors }] of table.blocks.entries()) {
    const used = Math.min(BLOCK, table.slots - index * BLOCK);
    const part = vectors.subarray(0, used * table.dimensions);
    offerNearest(best, part, query, count, (at) => index * BLOCK + at);
  }
  return toCandidates(best);
}

function scanPassing(table: CellTable, query: Vector, count: number, passes: Passes): Scanned {
  const best = createBestRows(count);
  let slots: number[] = [];
  const flush = () => {
    offerNearest(best, gather(table, slots), query, count, (at) => slots[at]!);
    slots = [];
  };
  for (let slot = 0; slot < table.slots; slot += 1) {
    if (!table.accepts(slot, passes)) continue;
    slots.push(slot);
    if (slots.length === GATHER_BATCH) flush();
  }
  flush();
  return toScanned(toCandidates(best), count, () => true);
}

function toCandidates(best: ReturnType<typeof createBestRows>): readonly Candidate[] {
  return best.sorted().map(({ row, score }) => ({ slot: row, score }));
}

function toScanned(sorted: readonly Candidate[], count: number, accepts: (slot: number) => boolean): Scanned {
  const candidates = sorted.filter(({ slot }) => accepts(slot));
  return { candidates, bound: sorted.length < count ? Number.NEGATIVE_INFINITY : sorted.at(-1)!.score };
}

/** Offers the nearest of some consecutive vectors. */
export function offerNearest(
  best: ReturnType<typeof createBestRows>,
  vectors: Vector,
  query: Vector,
  count: number,
  slotOf: (at: number) => number,
): void {
  const rows = vectors.length / query.length;
  if (rows === 0 || count === 0) return;
  const usearch = loadUsearch();
  if (usearch === null) {
    for (let at = 0; at < rows; at += 1) {
      best.offer(slotOf(at), cosine(query, vectors.subarray(at * query.length, (at + 1) * query.length)));
    }
    return;
  }
  const { keys, distances } = usearch.exactSearch(
    fromStart(vectors),
    fromStart(query),
    query.length,
    Math.min(count, rows),
    "cos",
    1,
  );
  for (let at = 0; at < keys.length; at += 1) {
    const score = 1 - distances[at]!;
    if (score < best.worst) return;
    best.offer(slotOf(Number(keys[at])), score);
  }
}

export function best(candidates: Candidate[], count: number): Candidate[] {
  return candidates.sort((a, b) => b.score - a.score || a.slot - b.slot).slice(0, count);
}

function gather({ dimensions, precision, vectorOf }: CellTable, slots: readonly number[]): Vector {
  const length = slots.length * dimensions;
  const copy = precision === "float" ? new Float32Array(length) : new Int8Array(length);
  for (const [index, slot] of slots.entries()) copy.set(vectorOf(slot), index * dimensions);
  return copy;
}

/** usearch's exact search reads from the start of the buffer, wherever the view on it starts, and takes no shared buffer. */
function fromStart<T extends Vector>(view: T): T {
  return view.byteOffset === 0 && !isShared(view) ? view : (view.slice() as T);
}
