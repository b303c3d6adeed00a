import type { Embedder } from "../embed/embedder.js";
import type { CellProfile } from "../python/profile.js";
import type { LabelFilter, VectorStore } from "../store/vector-store.js";
import { findCandidates, POOL_LIMITS, type PoolLimits } from "./candidate-pool.js";
import type { Clock } from "./clock.js";
import { keepPassing } from "./next-cells.js";
import type { PreparedQuery } from "./query.js";
import type { RankedCandidate, Reranker, RerankQuery } from "./rerank.js";
import { MAX_FITTED, preferFitting } from "./runtime-fit.js";
import { type Candidate, type CandidateOptions, selectCandidates } from "./select.js";

interface TwoStageQuery {
  readonly prepared: PreparedQuery;
  /** Next cells of stored cells like the last one, with that similarity; not filtered by label. */
  readonly following: ReadonlyMap<string, number>;
  readonly rerank: Omit<RerankQuery, "vectors" | "embedder">;
  readonly diversity: number;
  readonly minConfidence: number;
  /** Cells that it refuses are left out. */
  readonly isNovel: (id: string, cell: CellProfile) => boolean;
  /** How well a cell fits the running kernel, 0 to 1; only if its variables are known. */
  readonly fitOf?: ((code: string) => number) | undefined;
  /** Called with the highest confidence of every pool. */
  readonly onConfidence: (highest: number) => void;
  readonly clock: Clock;
}

interface TwoStageDeps {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  readonly limits?: PoolLimits;
}

/** Candidates by vector and by words, ranked by the second stage; the best `count` that may be shown. */
export async function findInTwoStages(
  { store, embedder, reranker, limits = POOL_LIMITS }: TwoStageDeps,
  query: TwoStageQuery,
  count: number,
  filter: LabelFilter | undefined,
  options: CandidateOptions,
): Promise<Candidate[]> {
  const nextCells = await keepPassing(store, query.following, filter);
  let known = -1;
  for (let size = Math.max(limits.size, 2 * count); ; size = Math.min(limits.largest, size * limits.growth)) {
    const near = await query.clock.timeAsync("search", () =>
      findCandidates(store, query.prepared, size, limits, filter, query.clock.signal),
    );
    const pool = nextCells.length > 0 ? [...new Set([...near, ...nextCells])] : near;
    const { found, cutOff } = await rankPool({ store, embedder, reranker }, query, pool, count, options);
    // Copies and excluded notebooks can use up a whole pool; a larger one may have more to show. Where hits fell below the
    // least confidence it has not: what a larger pool adds is further away.
    const isFinal = found.length >= count || cutOff > 0 || pool.length <= known || size >= limits.largest;
    if (isFinal) return found;
    known = pool.length;
  }
}

/** The best of a pool that may be shown, and how many fell below the least confidence. */
async function rankPool(
  { store, embedder, reranker }: TwoStageDeps,
  query: TwoStageQuery,
  pool: readonly string[],
  count: number,
  options: CandidateOptions,
): Promise<{ found: Candidate[]; cutOff: number }> {
  const { clock, following } = query;
  const [profiles, vectors] = await clock.timeAsync("fetch", () =>
    Promise.all([
      reranker.profiles.find(pool, store, clock.signal),
      store.roughVectors?.(pool, clock.signal) ?? store.vectors(pool, clock.signal),
    ]),
  );
  // A cell that was removed while it was looked for has neither.
  const candidates = pool.flatMap((id) => {
    const profile = profiles.get(id);
    const vector = vectors.get(id);
    if (profile === undefined || vector === undefined || !query.isNovel(id, profile)) return [];
    return [{ id, profile, vector, follows: following.get(id) }];
  });
  const ranked = clock.time("rerank", () =>
    reranker.rerank({ ...query.rerank, vectors: query.prepared.vectors, embedder: embedder.id }, candidates),
  );
  const confidences = ranked.flatMap(({ confidence }) => confidence ?? []);
  if (confidences.length > 0) query.onConfidence(Math.max(...confidences));
  const confident = ranked.filter(({ confidence }) => confidence === null || confidence >= query.minConfidence);
  const sure = query.fitOf === undefined ? confident : await fitToRuntime(store, confident, query.fitOf);
  const found = await clock.timeAsync("select", () =>
    selectCandidates(store, sure, vectors, count, query.diversity, options),
  );
  return { found, cutOff: ranked.length - sure.length };
}

async function fitToRuntime(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  fitOf: (code: string) => number,
): Promise<readonly RankedCandidate[]> {
  const cells = await store.cells(ranked.slice(0, MAX_FITTED).map(({ id }) => id));
  const fits = new Map(cells.map(({ id, code }) => [id, fitOf(code)]));
  return preferFitting(ranked, (id) => fits.get(id) ?? 0);
}
