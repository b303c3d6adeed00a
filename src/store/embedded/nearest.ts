import { cosine } from "../cosine.js";
import type { Hit } from "../vector-store.js";
import type { CellTable, Passes } from "./cell-table.js";
import type { Graph } from "./graph.js";
import { quantize } from "./quantize.js";
import { type Candidate, scan } from "./scan.js";

/** Below this many cells every search is exact, so that small indexes and evaluations are deterministic. */
export const EXACT_BELOW = 50_000;

export interface NearestLimits {
  /** The smallest candidate pool that the graph is asked for: bytes put the best ten among the first of these. */
  readonly smallestPool: number;
  /** A candidate pool larger than this costs the graph more than a scan of a million cells. */
  readonly largestPool: number;
  /** With a filter, the pool should hold at least this many that pass: what is far down in it is less sure. */
  readonly filteredPool: number;
  /** A scan compares this many vectors in the time in which the graph finds one candidate more. */
  readonly scannedPerCandidate: number;
}

export const NEAREST_LIMITS: NearestLimits = {
  smallestPool: 100,
  largestPool: 4_096,
  filteredPool: 80,
  scannedPerCandidate: 150,
};

/** Scores of float32 sums in another order; two within this distance may be in either order. */
const ROUNDING = 1e-5;
/** Scores of bytes; a candidate this far behind the last hit is not among the hits. */
const BYTE_ERROR = 0.02;

export interface NearestQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly passes: Passes;
}

/** What is searched: the cells in memory, a graph over most of them where there is one, and the stored vectors by row. */
export interface Searched {
  readonly table: CellTable;
  readonly graph: Graph | null;
  readonly vectors: (rows: readonly number[]) => readonly (Float32Array | null)[];
  readonly limits: NearestLimits;
}

/** Exactly min(k, matches) hits, best first by the cosine of the stored vectors; ties go to the smaller id. */
export function findNearest(searched: Searched, { vector, k, passes }: NearestQuery): Hit[] {
  const { table } = searched;
  const wanted = Math.min(k, table.count(passes));
  if (wanted === 0) return [];
  return table.precision === "float"
    ? findExactly(table, vector, wanted, passes)
    : findAmongBytes(searched, vector, wanted, passes);
}

/** The scan's scores are rounded; it is repeated with a larger pool until what it left out is clearly behind the last hit. */
function findExactly(table: CellTable, vector: Float32Array, wanted: number, passes: Passes): Hit[] {
  for (let pool = 2 * wanted + 32; ; pool *= 4) {
    const { candidates, bound } = scan(table, vector, pool, passes);
    const hits = rank(
      candidates.map(({ slot }) => ({ id: table.idOf(slot), score: cosine(vector, table.vectorOf(slot)) })),
    );
    if (bound < hits[wanted - 1]!.score - ROUNDING) return hits.slice(0, wanted);
  }
}

/** Bytes find the candidates; the stored vectors of the best of them give the scores. */
function findAmongBytes(searched: Searched, vector: Float32Array, wanted: number, passes: Passes): Hit[] {
  const { table, vectors } = searched;
  const candidates = findCandidates(searched, toBytes(vector), wanted, passes);
  const cutoff = candidates[wanted - 1]!.score - BYTE_ERROR;
  const chosen = candidates.filter(({ score }, index) => index < wanted || score >= cutoff);
  const stored = vectors(chosen.map(({ slot }) => table.rowOf(slot)));
  // A cell that another process removes at this moment has no vector any more.
  const hits = chosen.flatMap(({ slot }, index) => {
    const own = stored[index] ?? null;
    return own === null ? [] : [{ id: table.idOf(slot), score: cosine(vector, own) }];
  });
  return rank(hits).slice(0, wanted);
}

/** At least `wanted` that pass: from the graph where it is quicker than a scan, which finds all of them. */
function findCandidates(
  { table, graph, limits }: Searched,
  query: Int8Array,
  wanted: number,
  passes: Passes,
): readonly Candidate[] {
  const share = table.count(passes) / table.size;
  const needed = Math.max(2 * wanted, share === 1 ? 0 : limits.filteredPool) / share;
  for (let pool = Math.max(limits.smallestPool, Math.ceil(needed)); graph !== null; pool *= 4) {
    if (pool > limits.largestPool || pool * limits.scannedPerCandidate > table.slots) break;
    const candidates = graph.search(table, query, pool).filter(({ slot }) => table.accepts(slot, passes));
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
