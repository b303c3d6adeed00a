import { cosine } from "../../embed/embedder.js";
import type { Hit } from "../vector-store.js";
import { type CellTable, type Passes, quantize } from "./cell-table.js";
import type { Graph } from "./graph.js";
import { type Candidate, costOfScan, createFoundNear, type FoundNear, scan } from "./scan.js";

/** Below this many cells every search is exact, which makes small indexes and evaluations deterministic. */
export const EXACT_BELOW = 50_000;

export interface NearestLimits {
  /** The smallest candidate pool of a graph search: recall@10 is .999 with it, at 100,000 cells. */
  readonly smallestPool: number;
  /** The usual pool of a rough search, which takes half the time: recall@50 is .990. For fewer hits it is smaller. */
  readonly roughPool: number;
  /** Above this pool size a graph search is slower than a scan of a million cells. */
  readonly largestPool: number;
  /**
   * With a filter, the pool should contain at least this many passing cells, because its last entries are less
   * reliable.
   */
  readonly filteredPool: number;
  /** The number of vectors that a scan compares while the graph finds one more candidate. */
  readonly scannedPerCandidate: number;
}

export const NEAREST_LIMITS: NearestLimits = {
  smallestPool: 256,
  roughPool: 128,
  largestPool: 4_096,
  filteredPool: 80,
  scannedPerCandidate: 150,
};

/** Rounding error of float32 sums: two scores this close may be in either order. */
const ROUNDING = 1e-5;
/** Maximum error of quantized scores. A candidate that is worse than the last hit by more than this is not a hit. */
const BYTE_ERROR = 0.02;
/** Pool size of a rough search for few hits, per wanted hit. */
const ROUGH_POOL_PER_HIT = 3;
/** Number of passing candidates that a rough search should find, per wanted hit. */
const ROUGH_SURPLUS = 1.3;
/** Like `ROUGH_SURPLUS`, for a scan, where more candidates cost almost nothing. */
const ROUGH_SCAN = 4;

interface NearestQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly passes: Passes;
  /** See `SearchQuery`. */
  readonly rough?: boolean;
}

/** The data to search: the cells in memory, a graph over most of them (if there is one), and the stored vectors. */
interface Searched {
  readonly table: CellTable;
  readonly graph: Graph | null;
  readonly vectors: (rows: readonly number[]) => readonly (Float32Array | null)[];
  readonly limits: NearestLimits;
  /** Results of earlier searches for the same vector. */
  readonly found?: FoundNear;
}

/** Exactly min(k, matches) hits, best first by the cosine of the stored vectors; ties go to the smaller id. */
export function findNearest(searched: Searched, { vector, k, passes, rough = false }: NearestQuery): Hit[] {
  const { table } = searched;
  const wanted = Math.min(k, table.count(passes));
  if (wanted === 0) return [];
  if (table.precision === "byte" && rough) return findRoughly(searched, vector, wanted, passes);
  const hits =
    table.precision === "float"
      ? findExactly(searched, vector, wanted, passes, rough ? ROUGH_SCAN : 2)
      : findAmongBytes(searched, vector, wanted, passes);
  return rough ? hits : hits.slice(0, wanted);
}

/** Hits of one graph search, scored by the quantized vectors. */
function findRoughly(searched: Searched, vector: Float32Array, wanted: number, passes: Passes): Hit[] {
  const { table, limits } = searched;
  const share = table.count(passes) / table.size;
  const usual = Math.min(limits.roughPool, ROUGH_POOL_PER_HIT * wanted);
  const pool = Math.max(usual, Math.ceil((ROUGH_SURPLUS * wanted) / share));
  const found = findCandidates(searched, toBytes(vector), wanted, passes, pool);
  return rank(found.map(({ slot, score }) => ({ id: table.idOf(slot), score })));
}

/**
 * The scan's scores are rounded; it is repeated with a larger pool until all other cells are clearly worse than the
 * last hit.
 */
function findExactly(
  { table, found }: Searched,
  vector: Float32Array,
  wanted: number,
  passes: Passes,
  surplus: number,
): Hit[] {
  for (let pool = surplus * wanted + 32; ; pool *= 4) {
    const { candidates, bound } = scan(table, vector, pool, passes, found);
    const hits = rank(
      candidates.map(({ slot }) => ({ id: table.idOf(slot), score: cosine(vector, table.vectorOf(slot)) })),
    );
    if (bound < hits[wanted - 1]!.score - ROUNDING) return hits;
  }
}

/** Finds candidates by quantized vectors, then scores the best ones by the stored vectors. */
function findAmongBytes(searched: Searched, vector: Float32Array, wanted: number, passes: Passes): Hit[] {
  const { table, vectors, limits } = searched;
  const share = table.count(passes) / table.size;
  const passing = Math.max(2 * wanted, share === 1 ? 0 : limits.filteredPool);
  const pool = Math.max(limits.smallestPool, Math.ceil(passing / share));
  // If far fewer cells pass than expected, the passing cells are far from the query, and the nearest of them may be
  // missing from the pool.
  const enough = Math.min(table.count(passes), share === 1 ? wanted : Math.max(wanted, passing / 2));
  const candidates = findCandidates(searched, toBytes(vector), enough, passes, pool);
  const cutoff = candidates[wanted - 1]!.score - BYTE_ERROR;
  const chosen = candidates.filter(({ score }, index) => index < wanted || score >= cutoff);
  const stored = vectors(chosen.map(({ slot }) => table.rowOf(slot)));
  // Another process may just have removed the cell and its vector.
  const hits = chosen.flatMap(({ slot }, index) => {
    const own = stored[index] ?? null;
    return own === null ? [] : [{ id: table.idOf(slot), score: cosine(vector, own) }];
  });
  return rank(hits);
}

/**
 * At least `wanted` cells that pass: from the graph, starting with a pool of `smallest`, or from a scan if that is
 * faster.
 */
function findCandidates(
  { table, graph, limits, found = createFoundNear() }: Searched,
  query: Int8Array,
  wanted: number,
  passes: Passes,
  smallest: number,
): readonly Candidate[] {
  const scanned = costOfScan(table, passes);
  for (let pool = smallest; graph !== null; pool *= 4) {
    if (pool > limits.largestPool || pool * limits.scannedPerCandidate > scanned) break;
    const near = found.atLeast(pool, (count) => graph.search(table, query, count));
    const candidates = near.found.filter(({ slot }) => table.accepts(slot, passes));
    if (candidates.length >= wanted) return candidates;
  }
  return scan(table, query, 2 * wanted + 32, passes).candidates;
}

function toBytes(vector: Float32Array): Int8Array {
  const bytes = new Int8Array(vector.length);
  quantize(vector, bytes);
  return bytes;
}

function rank(hits: Hit[]): Hit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}
