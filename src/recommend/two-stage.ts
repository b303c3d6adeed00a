import type { Embedder } from "../embed/embedder.js";
import type { LabelFilter, VectorStore } from "../store/vector-store.js";
import { findPool, POOL_LIMITS, type PoolLimits } from "./candidate-pool.js";
import type { Clock } from "./clock.js";
import { type ContinuingCheck, rankAll, rankContinuing } from "./continuing.js";
import { keepPassing } from "./next-cells.js";
import type { PreparedQuery } from "./query.js";
import type { RankedCandidate, Reranker, RerankQuery } from "./rerank.js";
import { type Fit, type FitCheck, MAX_FITTED, preferFitting } from "./runtime-fit.js";
import { type Candidate, type CandidateOptions, selectCandidates } from "./select.js";

interface TwoStageQuery {
  readonly prepared: PreparedQuery;
  /** Cells that follow a stored cell similar to the last one, with that similarity; not filtered by label. */
  readonly following: ReadonlyMap<string, number>;
  readonly rerank: Omit<RerankQuery, "vectors" | "embedder">;
  readonly diversity: number;
  readonly minConfidence: number;
  /** Whether a cell adds something new; cells that do not are left out. */
  readonly isNovel: (id: string, profile: Uint8Array) => boolean;
  /** How well a cell fits the running kernel and the expected lines; omitted if neither is known. */
  readonly fit?: FitCheck | undefined;
  /** Checks which cells continue the current line; omitted if no line is being typed. */
  readonly continuing?: ContinuingCheck | undefined;
  /** Whether cells that continue the line are found even if the label filter excludes them. */
  readonly isFilterSoft: boolean;
  /** Whether cells that continue the line are kept at any confidence. */
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

/**
 * Retrieves candidates by vector and by words, ranks them with the second stage, and returns the best `count` that may
 * be shown.
 */
export async function findInTwoStages(
  { store, embedder, reranker, limits = POOL_LIMITS }: TwoStageDeps,
  query: TwoStageQuery,
  count: number,
  filter: LabelFilter | undefined,
  options: CandidateOptions,
): Promise<Candidate[]> {
  const nextCells = await keepPassing(store, [...query.following.keys()], filter);
  const isFree = filter === undefined || query.isFilterSoft;
  const isTyping = query.continuing !== undefined;
  // A remote store is called only once and finds cells that continue the line in the same call. The embedded store
  // searches for them separately.
  const isLocal = store.name === "embedded";
  const line = isLocal || !isTyping ? undefined : { words: query.prepared.lineWords, isFiltered: !isFree };
  const lines = isLocal && isTyping ? searchLine(store, query, isFree ? undefined : filter) : [];
  let known = -1;
  for (let size = Math.max(limits.size, 2 * count); ; size = Math.min(limits.largest, size * limits.growth)) {
    const [{ inside, outside }, others] = await query.clock.timeAsync("search", () =>
      Promise.all([findPool(store, query.prepared, size, limits, { filter, line }, query.clock.signal), lines]),
    );
    const lineStarts = await keepContinuing({ store, embedder, reranker }, query, [...others, ...outside]);
    const pool = [...new Set([...inside, ...nextCells, ...lineStarts])];
    const filtered = new Set(inside);
    const unfiltered = new Set(lineStarts.filter((id) => !filtered.has(id)));
    const candidates = { pool, lineStarts: new Set(lineStarts), unfiltered };
    const { found, isCutOff } = await rankPool({ store, embedder, reranker }, query, candidates, count, options);
    // Copies and excluded notebooks can use up a whole pool; then a larger pool is tried. If hits were below the
    // minimum confidence, a larger pool would only add worse ones.
    if (found.length >= count || pool.length <= known || size >= limits.largest || (await isCutOff())) return found;
    known = pool.length;
  }
}

/** Ids of cells with the words of the typed line. */
async function searchLine(
  store: VectorStore,
  { prepared, clock }: TwoStageQuery,
  filter: LabelFilter | undefined,
): Promise<string[]> {
  if (prepared.lineWords.size === 0) return [];
  const query = { words: prepared.lineWords, k: LINES_SEARCHED, ...(filter && { filter }) };
  return ((await store.lexical(query, clock.signal)) ?? []).map(({ id }) => id);
}

/**
 * Keeps the cells that may have a line which starts like the typed one. A predicted label does not exclude them,
 * because it may be wrong.
 */
async function keepContinuing(
  { store, reranker }: TwoStageDeps,
  { continuing, clock }: TwoStageQuery,
  ids: readonly string[],
): Promise<string[]> {
  if (continuing === undefined) return [];
  // The profiles of the first cells often suffice, so they are read in steps. A remote store is asked once for all.
  const step = store.name === "embedded" ? PROFILES_AT_ONCE : Math.max(1, ids.length);
  const kept: string[] = [];
  for (let from = 0; from < ids.length && kept.length < MAX_LINE_STARTS; from += step) {
    const some = ids.slice(from, from + step);
    const profiles = await clock.timeAsync("fetch", () => reranker.profiles.find(some, store, clock.signal));
    for (const id of some) if (kept.length < MAX_LINE_STARTS && continuing.mayContinue(profiles.get(id))) kept.push(id);
  }
  return kept;
}

interface PoolCandidates {
  readonly pool: readonly string[];
  /** Cells of the pool that may have a line which starts like the typed one. */
  readonly lineStarts: ReadonlySet<string>;
  /** Cells of `lineStarts` that the label filter excludes. */
  readonly unfiltered: ReadonlySet<string>;
}

/** Ranks a pool. Returns the best candidates that may be shown, and whether some were below the minimum confidence. */
async function rankPool(
  { store, embedder, reranker }: TwoStageDeps,
  query: TwoStageQuery,
  { pool, ...lines }: PoolCandidates,
  count: number,
  options: CandidateOptions,
): Promise<{ found: Candidate[]; isCutOff: () => Promise<boolean> }> {
  const { clock, following } = query;
  const [profiles, vectors] = await clock.timeAsync("fetch", () =>
    Promise.all([
      reranker.profiles.find(pool, store, clock.signal),
      store.roughVectors?.(pool, clock.signal) ?? store.vectors(pool, clock.signal),
    ]),
  );
  // A cell that was deleted since the search has neither vector nor profile.
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
  const { continuing, fit, minConfidence, keepsContinuing } = query;
  const isSure = ({ confidence }: RankedCandidate) => confidence === null || confidence >= minConfidence;
  const rankSure = async () => {
    const sure = ranked.filter(isSure);
    const fitted = fit === undefined ? sure : await fitToUser(store, sure, fit, profiles);
    return rankAll(fitted, ranked.length - sure.length);
  };
  const ranking =
    continuing === undefined
      ? await rankSure()
      : rankContinuing(store, ranked, continuing, { minConfidence, keepsContinuing, ...lines, profiles });
  const timed = { first: (max: number) => clock.timeAsync("cursor", () => ranking.first(max)) };
  const found = await selectCandidates(store, timed, vectors, count, query.diversity, options, clock);
  return { found, isCutOff: ranking.isCutOff };
}

/** Maximum number of cells found by the words of the typed line, and of those among them that are ranked. */
const LINES_SEARCHED = 160;
const MAX_LINE_STARTS = 20;
const PROFILES_AT_ONCE = 80;

const NO_FIT: Fit = { runtime: 0, expected: 0 };

async function fitToUser(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  { measure, mayFit, readsFirst }: FitCheck,
  profiles: ReadonlyMap<string, Uint8Array>,
): Promise<readonly RankedCandidate[]> {
  const first = readsFirst ? ranked.slice(0, MAX_FITTED) : [];
  const others = ranked.slice(first.length).filter(({ id }) => mayFit(profiles.get(id)));
  const cells = await store.cells([...first, ...others.slice(0, MAX_FITTED)].map(({ id }) => id));
  const fits = new Map(cells.map(({ id, code }) => [id, measure(code)]));
  return preferFitting(ranked, (id) => fits.get(id) ?? (readsFirst ? undefined : NO_FIT));
}
