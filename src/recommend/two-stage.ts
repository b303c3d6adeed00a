import type { Embedder } from "../embed/embedder.js";
import type { Hit, LabelFilter, VectorStore } from "../store/vector-store.js";
import type { Clock } from "./clock.js";
import { diversify } from "./diversify.js";
import { findFollowing } from "./following.js";
import { type Candidate, createPlacer, type GatherOptions } from "./gather.js";
import type { PreparedQuery } from "./query.js";
import { kindOf, type RankedCandidate, type Reranker, type RerankQuery } from "./rerank.js";

/** Candidates that each search of the first stage brings; more where nobody can search by words. */
const POOL = 50;
const POOL_WITHOUT_WORDS = 200;
const POOL_GROWTH = 8;
const LARGEST_POOL = 5_000;
/** Hits that diversity chooses from, for each one shown. */
const DIVERSITY_CHOICE = 10;

export interface TwoStageQuery {
  readonly prepared: PreparedQuery;
  readonly rerank: Omit<RerankQuery, "vectors" | "embedder">;
  readonly diversity: number;
  readonly minConfidence: number;
  readonly clock: Clock;
}

export interface TwoStageDeps {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
}

/** Candidates by vector and by words, ranked by the second stage; the best `count` that may be shown. */
export async function findInTwoStages(
  { store, embedder, reranker }: TwoStageDeps,
  query: TwoStageQuery,
  count: number,
  filter: LabelFilter | undefined,
  options: GatherOptions,
): Promise<Candidate[]> {
  const last = query.rerank.context?.before?.at(-1);
  const looksBehind = last !== undefined && kindOf(query.rerank) === "next";
  const following = looksBehind
    ? await query.clock.timeAsync("follow", () => findFollowing({ store, embedder }, last, filter, options.exclude))
    : new Map<string, number>();
  for (let pool = Math.max(POOL, 2 * count), before = -1; ; pool *= POOL_GROWTH) {
    const near = await query.clock.timeAsync("search", () => findCandidates(store, query.prepared, pool, filter));
    const ids = looksBehind ? [...new Set([...near, ...following.keys()])] : near;
    const found = await rank({ store, embedder, reranker }, query, ids, following, count, options);
    // Copies and excluded notebooks can use up a whole pool; a larger one may have more to show.
    const isFinal = found.length >= count || query.minConfidence > 0 || ids.length <= before || pool > LARGEST_POOL;
    if (isFinal) return found;
    before = ids.length;
  }
}

async function rank(
  { store, embedder, reranker }: TwoStageDeps,
  query: TwoStageQuery,
  ids: readonly string[],
  following: ReadonlyMap<string, number>,
  count: number,
  options: GatherOptions,
): Promise<Candidate[]> {
  const { clock } = query;
  const { codes, vectors } = await clock.timeAsync("fetch", () => fetchCandidates(store, reranker, ids));
  const ranked = clock.time("rerank", () =>
    reranker.rerank(
      { ...query.rerank, vectors: query.prepared.vectors, embedder: embedder.id },
      ids.flatMap((id) => {
        const vector = vectors.get(id);
        return vector === undefined ? [] : [{ id, code: codes.get(id), vector, follows: following.get(id) }];
      }),
    ),
  );
  const good = ranked.filter(({ confidence }) => confidence === null || confidence >= query.minConfidence);
  return clock.timeAsync("place", () => place(store, good, vectors, count, query.diversity, options));
}

/** A candidate's code is read only where the second stage does not know the cell yet. */
async function fetchCandidates(store: VectorStore, reranker: Reranker, ids: readonly string[]) {
  const unknown = ids.filter((id) => !reranker.knows(id));
  const [cells, vectors] = await Promise.all([unknown.length > 0 ? store.cells(unknown) : [], store.vectors(ids)]);
  const codes = new Map(cells.map(({ id, code }) => [id, code]));
  // A cell that went while it was looked for has neither.
  for (const id of unknown) if (!codes.has(id)) vectors.delete(id);
  return { codes, vectors };
}

async function findCandidates(
  store: VectorStore,
  { searches }: PreparedQuery,
  pool: number,
  filter: LabelFilter | undefined,
): Promise<string[]> {
  const within = filter === undefined ? {} : { filter };
  const found: Hit[][] = [];
  for (const { vector, words } of searches) {
    const byWords = await store.lexical({ words, k: pool, ...within });
    const k = byWords === null ? Math.max(POOL_WITHOUT_WORDS, pool) : pool;
    if (vector !== null) found.push(await store.search({ vector, k, ...within }));
    if (byWords !== null) found.push(byWords);
  }
  return [...new Set(found.flat().map(({ id }) => id))];
}

/** Walks down the ranking: copies and excluded cells are left out before anything is spread out or cut. */
async function place(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  vectors: ReadonlyMap<string, Float32Array>,
  count: number,
  diversity: number,
  options: GatherOptions,
): Promise<Candidate[]> {
  const wanted = diversity > 0 ? count * DIVERSITY_CHOICE : count;
  const placer = createPlacer(store, options);
  const placed: { id: string; score: number; vector: Float32Array | null; candidate: Candidate }[] = [];
  for (let from = 0; from < ranked.length && placed.length < wanted; from += wanted) {
    const slice = new Map(ranked.slice(from, from + wanted).map((hit) => [hit.id, hit]));
    const cells = await store.cells([...slice.keys()]);
    for (const candidate of await placer(cells.map((cell) => ({ cell, score: slice.get(cell.id)!.score })))) {
      const { id, score, confidence, why } = slice.get(candidate.cell.id)!;
      placed.push({ id, score, vector: vectors.get(id) ?? null, candidate: { ...candidate, confidence, why } });
    }
  }
  return diversify(placed.slice(0, wanted), count, diversity).map(({ candidate }) => candidate);
}
