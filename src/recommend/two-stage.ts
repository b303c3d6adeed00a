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
  /** Whether a cell continues the line that is being typed; only while one is. */
  readonly continuesTyped?: ((code: string) => boolean) | undefined;
  /** Whether such cells are found although the label filter hides them. */
  readonly isFilterSoft: boolean;
  /** Whether such cells are kept whatever their confidence. */
  readonly keepsContinuing: boolean;
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
    const outside = filter === undefined ? [] : await findOutside(store, query, size, limits, near);
    const pool = nextCells.length + outside.length > 0 ? [...new Set([...near, ...nextCells, ...outside])] : near;
    const { found, cutOff } = await rankPool({ store, embedder, reranker }, query, pool, count, options);
    // Copies and excluded notebooks can use up a whole pool; a larger one may have more to show. Where hits fell below the
    // least confidence it has not: what a larger pool adds is further away.
    const isFinal = found.length >= count || cutOff > 0 || pool.length <= known || size >= limits.largest;
    if (isFinal) return found;
    known = pool.length;
  }
}

/** Cells that the label filter hides although they continue the line that is being typed: what they do is no guess then. */
async function findOutside(
  store: VectorStore,
  { prepared, continuesTyped, isFilterSoft, clock }: TwoStageQuery,
  size: number,
  limits: PoolLimits,
  near: readonly string[],
): Promise<string[]> {
  if (continuesTyped === undefined || !isFilterSoft) return [];
  const all = await clock.timeAsync("search", () =>
    findCandidates(store, prepared, size, limits, undefined, clock.signal),
  );
  const inside = new Set(near);
  const cells = await store.cells(all.filter((id) => !inside.has(id)).slice(0, MAX_OUTSIDE));
  return cells.filter(({ code }) => continuesTyped(code)).map(({ id }) => id);
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
  const { continuesTyped, fitOf, minConfidence } = query;
  const continuing =
    continuesTyped === undefined
      ? NO_IDS
      : await clock.timeAsync("cursor", () => findContinuing(store, ranked, continuesTyped));
  const confident = preferContinuing(ranked, continuing).filter(
    ({ id, confidence }) =>
      confidence === null || confidence >= minConfidence || (query.keepsContinuing && continuing.has(id)),
  );
  const sure = fitOf === undefined ? confident : await fitToRuntime(store, confident, fitOf);
  const found = await clock.timeAsync("select", () =>
    selectCandidates(store, sure, vectors, count, query.diversity, options),
  );
  return { found, cutOff: ranked.length - sure.length };
}

/** Bonus of a cell that continues the line that is being typed, on the scale of the scores. */
const CONTINUES_TYPED = 2;
/** Candidates that are checked for it, best first, and cells outside of the label filter. */
const MAX_CHECKED = 120;
const MAX_OUTSIDE = 60;

const NO_IDS: ReadonlySet<string> = new Set();

async function findContinuing(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  continuesTyped: (code: string) => boolean,
): Promise<ReadonlySet<string>> {
  const cells = await store.cells(ranked.slice(0, MAX_CHECKED).map(({ id }) => id));
  return new Set(cells.filter(({ code }) => continuesTyped(code)).map(({ id }) => id));
}

/** The line that is being typed decides, not the lines above it. */
function preferContinuing(
  ranked: readonly RankedCandidate[],
  continuing: ReadonlySet<string>,
): readonly RankedCandidate[] {
  if (continuing.size === 0) return ranked;
  return ranked
    .map((hit) => (continuing.has(hit.id) ? { ...hit, score: hit.score + CONTINUES_TYPED } : hit))
    .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
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
