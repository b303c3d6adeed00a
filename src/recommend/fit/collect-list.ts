import type { Embedder } from "../../embed/embedder.js";
import type { Labeller } from "../../label/labeller.js";
import { strip } from "../../python/strip.js";
import type { VectorStore } from "../../store/vector-store.js";
import { createHitAdapter } from "../answer/answer.js";
import { findCandidates, POOL_LIMITS } from "../candidate-pool.js";
import { compareCells } from "../features/compare-cells.js";
import { FEATURES } from "../features/feature-table.js";
import { type InverseFrequency, type OnceCalls, profileQuery, type QueryContext } from "../features/query-profile.js";
import { chooseFilter } from "../filters.js";
import { createNoveltyCheck } from "../novelty.js";
import type { Profiles } from "../profiles.js";
import { prepareQuery } from "../query.js";

export interface CollectDeps {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly profiles: Profiles;
  readonly idf: InverseFrequency;
  readonly isOnce: OnceCalls;
}

/** A candidate with all its features and its insertion. */
export interface ListedCell {
  readonly id: string;
  readonly code: string;
  /** The insertion, with the user's variable names. */
  readonly insert: string;
  readonly vector: Float32Array;
  readonly row: Float64Array;
}

/**
 * The candidates that mode `complete` ranks for one half-typed cell. Left out are cells that occur only in excluded
 * notebooks, cells that add nothing, and copies with the same cleaned text.
 */
export async function collectList(
  { store, embedder, labeller, profiles, idf, isOnce }: CollectDeps,
  {
    code,
    context,
    without,
  }: { readonly code: string; readonly context: QueryContext; readonly without: readonly string[] },
): Promise<ListedCell[]> {
  const clean = strip(code).text;
  const prepared = await prepareQuery({ embedder, idf }, { code, clean }, context);
  const filter = chooseFilter(labeller.label(clean, "prefix"), "soft");
  const pool = await findCandidates(store, prepared, POOL_LIMITS.size, POOL_LIMITS, filter);
  const found = await profiles.find(pool, store);
  const vectors = await store.vectors(pool);
  const provenances = await store.provenance(pool, { notebooks: without });
  const isNovel = createNoveltyCheck(context.before);
  const help = createHitAdapter(code, context);
  const texts = new Set<string>();
  const cells = (await store.cells(pool)).flatMap((cell) => {
    const [profile, vector] = [found.get(cell.id), vectors.get(cell.id)];
    const isShown = provenances.get(cell.id)?.first != null && !texts.has(cell.clean);
    if (profile === undefined || vector === undefined || !isShown || !isNovel(cell.id, profile)) return [];
    texts.add(cell.clean);
    const { added, adapted } = help(cell.code);
    return added === "" ? [] : [{ id: cell.id, code: cell.code, insert: adapted.insert, profile, vector }];
  });
  const rows = compareCells(FEATURES, profileQuery(code, context, idf, isOnce), prepared.vectors, cells);
  return cells.map(({ id, code: own, insert, vector }, at) => ({ id, code: own, insert, vector, row: rows[at]! }));
}
