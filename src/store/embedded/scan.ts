import { cosine } from "../../embed/embedder.js";
import { createBestRows } from "../best-rows.js";
import { BLOCK, type CellTable, type Passes } from "./cell-table.js";
import { loadUsearch } from "./usearch.js";

type Vector = Float32Array | Int8Array;

/** A slot with its score. */
export interface Candidate {
  readonly slot: number;
  readonly score: number;
}

interface Scanned {
  /** At least as many as were asked for, if there are, best first; all of them pass. */
  readonly candidates: readonly Candidate[];
  /** No slot that is not among them has a higher score. */
  readonly bound: number;
}

/** Where fewer than this share of the slots pass, those are copied together and scanned; else all are, and then filtered. */
const MIN_SHARE = 0.1;
/** Vectors that are copied together at a time. */
const GATHERED = 4_096;

/** Cost of testing a slot, and of copying and comparing one that passes, relative to comparing one in place. */
const ASKED_COST = 0.1;
const COPIED_COST = 2;

/** Cost of a scan, in vector comparisons. */
export function costOfScan(table: CellTable, passes: Passes): number {
  const matches = table.count(passes);
  return matches / table.slots >= MIN_SHARE ? table.slots : ASKED_COST * table.slots + COPIED_COST * matches;
}

/** The nearest slots that pass: every vector is looked at. */
export function scan(table: CellTable, query: Vector, count: number, passes: Passes): Scanned {
  const matches = table.count(passes);
  const share = matches / table.slots;
  if (share >= MIN_SHARE) {
    const scanned = scanAll(table, query, Math.ceil((1.2 * count) / share), passes);
    if (scanned.candidates.length >= Math.min(count, matches)) return scanned;
  }
  return scanPassing(table, query, count, passes);
}

function scanAll(table: CellTable, query: Vector, count: number, passes: Passes): Scanned {
  const best = createBestRows(count);
  for (const [index, { vectors }] of table.blocks.entries()) {
    const used = Math.min(BLOCK, table.slots - index * BLOCK);
    const part = vectors.subarray(0, used * table.dimensions);
    offerNearest(best, part, query, count, (at) => index * BLOCK + at);
  }
  return toScanned(best, count, (slot) => table.accepts(slot, passes));
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
    if (slots.length === GATHERED) flush();
  }
  flush();
  return toScanned(best, count, () => true);
}

function toScanned(
  best: ReturnType<typeof createBestRows>,
  count: number,
  accepts: (slot: number) => boolean,
): Scanned {
  const sorted = best.sorted();
  const candidates = sorted.flatMap(({ row, score }) => (accepts(row) ? [{ slot: row, score }] : []));
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

/** usearch's exact search reads from the start of the buffer, wherever the view on it starts. */
function fromStart<T extends Vector>(view: T): T {
  return view.byteOffset === 0 ? view : (view.slice() as T);
}
