import type { Embedder } from "../embed/embedder.js";
import type { LabelFilter, VectorStore } from "../store/vector-store.js";
import type { Clock } from "./clock.js";
import { diversify } from "./diversify.js";
import { keepPassing } from "./following.js";
import { type Candidate, createPlacer, type GatherOptions } from "./gather.js";
import type { PreparedQuery } from "./query.js";
import type { RankedCandidate, Reranker, RerankQuery } from "./rerank.js";

/** Candidates that each search of the first stage brings; more where nobody can search by words. */
const POOL = 50;
const POOL_WITHOUT_WORDS = 200;
const POOL_GROWTH = 8;
const LARGEST_POOL = 5_000;
/** Hits that diversity chooses from, for each one shown. */
const DIVERSITY_CHOICE = 10;

export interface TwoStageQuery {
  readonly prepared: PreparedQuery;
  /** Cells that stand behind ones like the last, whatever their labels, with how like those are. */
  readonly following: ReadonlyMap<string, number>;
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
  const behind = await keepPassing(store, query.following, filter);
  for (let pool = Math.max(POOL, 2 * count), before = -1; ; pool = Math.min(LARGEST_POOL, pool * POOL_GROWTH)) {
    const near = await query.clock.timeAsync("search", () => findCandidates(store, query.prepared, pool, filter));
    const ids = behind.length > 0 ? [...new Set([...near, ...behind])] : near;
    const { found, isCut } = await rank({ store, embedder, reranker }, query, ids, count, options);
    // Copies and excluded notebooks can use up a whole pool; a larger one may have more to show. Where
    // hits were cut for their confidence it has not: what it adds is further away.
    const isFinal = found.length >= count || isCut || ids.length <= before || pool >= LARGEST_POOL;
    if (isFinal) return found;
    before = ids.length;
  }
}

async function rank(
  { store, embedder, reranker }: TwoStageDeps,
  query: TwoStageQuery,
  ids: readonly string[],
  count: number,
  options: GatherOptions,
): Promise<{ found: Candidate[]; isCut: boolean }> {
  const { clock } = query;
  const { codes, vectors } = await clock.timeAsync("fetch", () => fetchCandidates(store, reranker, ids));
  const ranked = clock.time("rerank", () =>
    reranker.rerank(
      { ...query.rerank, vectors: query.prepared.vectors, embedder: embedder.id },
      ids.flatMap((id) => {
        const vector = vectors.get(id);
        return vector === undefined ? [] : [{ id, code: codes.get(id), vector, follows: query.following.get(id) }];
      }),
    ),
  );
  const good = ranked.filter(({ confidence }) => confidence === null || confidence >= query.minConfidence);
  const found = await clock.timeAsync("place", () => place(store, good, vectors, count, query.diversity, options));
  return { found, isCut: good.length < ranked.length };
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
  { vector, words }: PreparedQuery,
  pool: number,
  filter: LabelFilter | undefined,
): Promise<string[]> {
  const within = filter === undefined ? {} : { filter };
  const byWords = await store.lexical({ words, k: pool, ...within });
  const k = byWords === null ? Math.max(POOL_WITHOUT_WORDS, pool) : pool;
  const byVector = vector === null ? [] : await store.search({ vector, k, ...within });
  return [...new Set([...byVector, ...(byWords ?? [])].map(({ id }) => id))];
}

/**
 * Chooses by score and vector alone, then asks the store where the chosen ones stand. What must not be shown (a copy of a
 * better one, an excluded cell) is left out, and the choice is made again.
 */
async function place(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  vectors: ReadonlyMap<string, Float32Array>,
  count: number,
  diversity: number,
  options: GatherOptions,
): Promise<Candidate[]> {
  const placer = createPlacer(store, options);
  const placed = new Map<string, Candidate>();
  const refused = new Set<string>();
  for (;;) {
    const open = ranked.filter(({ id }) => !refused.has(id)).slice(0, diversity > 0 ? count * DIVERSITY_CHOICE : count);
    const choice = open.map((hit) => ({ id: hit.id, score: hit.score, vector: vectors.get(hit.id) ?? null, hit }));
    const chosen = diversify(choice, count, diversity);
    if (chosen.every(({ id }) => placed.has(id))) return chosen.map(({ id }) => placed.get(id)!);
    // Where one was refused there may be many: then all that can be chosen from are asked about at once.
    const doubtful = refused.size === 0 ? chosen : choice;
    const asked = new Map(doubtful.flatMap(({ id, hit }) => (placed.has(id) ? [] : [[id, hit] as const])));
    const cells = await store.cells([...asked.keys()]);
    for (const candidate of await placer(cells.map((cell) => ({ cell, score: asked.get(cell.id)!.score })))) {
      const { id, confidence, why } = asked.get(candidate.cell.id)!;
      placed.set(id, { ...candidate, confidence, why });
    }
    for (const id of asked.keys()) if (!placed.has(id)) refused.add(id);
  }
}
