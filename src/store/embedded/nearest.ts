import { cosine } from "../cosine.js";
import type { Hit } from "../vector-store.js";
import type { AnnIndex } from "./ann-index.js";
import { exactCandidates } from "./exact-candidates.js";
import type { VectorTable } from "./vector-table.js";

/** Below this many rows every search is exact, so that small indexes and evaluations are deterministic. */
export const EXACT_BELOW = 50_000;
/** A filter that leaves no more rows than this is answered by scoring exactly those. */
const FEW = 2_000;
/** The graph searches wider than it answers (`expansion_search`); its bytes put the best among the first of these. */
const LEAST_FETCH = 100;
/** An approximate search that needs more than this many candidates is not worth its approximation. */
const MOST_FETCH = 4_096;
/** The candidates' scores are float32 sums in another order; two within this distance may be in either order. */
const ROUNDING = 1e-5;

type Passes = ((bits: number, primary: number) => boolean) | null;

/** Exactly min(k, matches) hits, best first by exact cosine, ties by id. Without a graph the candidates are exact, too. */
export function findNearest(
  table: VectorTable,
  ann: AnnIndex | null,
  query: Float32Array,
  k: number,
  passes: Passes,
): Hit[] {
  const accepts = (slot: number) =>
    table.isAlive(slot) && (passes === null || passes(table.bitsOf(slot), table.primaryOf(slot)));
  const matches = passes === null ? table.size : table.count(passes);
  const wanted = Math.min(k, matches);
  if (wanted === 0) return [];
  if (matches <= FEW) return best(scoreAll(table, query, accepts), wanted);

  const graph = ann?.isUseful(table.slots) ? ann : null;
  const exact = graph === null;
  // What is near a query mostly has its labels, so that a few from the graph are enough; a scan is not worth repeating.
  const enough = Math.ceil((wanted + 32) * 1.2 * (table.slots / matches));
  let fetch = Math.max(LEAST_FETCH, exact ? enough : 2 * wanted);
  while (fetch < table.slots && (exact || fetch <= MOST_FETCH)) {
    const slots = graph === null ? exactCandidates(table, query, fetch, 0) : graph.candidates(table, query, fetch);
    const hits = score(table, query, slots.filter(accepts));
    const found = best(hits, wanted);
    if (found.length === wanted && (!exact || isSettled(table, query, slots, found.at(-1)!.score))) return found;
    fetch = Math.max(4 * fetch, enough);
  }
  return best(scoreAll(table, query, accepts), wanted);
}

/** Whether no slot that was not fetched can belong before the last hit: the worst one fetched is clearly behind it. */
function isSettled(table: VectorTable, query: Float32Array, slots: readonly number[], last: number): boolean {
  const worst = slots.at(-1);
  return worst !== undefined && cosine(query, table.vectorOf(worst)) < last - ROUNDING;
}

function scoreAll(table: VectorTable, query: Float32Array, accepts: (slot: number) => boolean): Hit[] {
  const slots: number[] = [];
  for (let slot = 0; slot < table.slots; slot += 1) if (accepts(slot)) slots.push(slot);
  return score(table, query, slots);
}

function score(table: VectorTable, query: Float32Array, slots: readonly number[]): Hit[] {
  return slots.map((slot) => ({ id: table.idOf(slot), score: cosine(query, table.vectorOf(slot)) }));
}

function best(hits: Hit[], k: number): Hit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, k);
}
