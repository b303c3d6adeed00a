import type { Services } from "../src/app/compose.js";
import { strip } from "../src/python/strip.js";
import { createHitAdapter } from "../src/recommend/answer/answer.js";
import { findCandidates, POOL_LIMITS } from "../src/recommend/candidate-pool.js";
import { compareCells } from "../src/recommend/features/compare-cells.js";
import { FEATURES } from "../src/recommend/features/feature-table.js";
import { profileQuery, type QueryContext } from "../src/recommend/features/query-profile.js";
import { chooseFilter } from "../src/recommend/filters.js";
import { dot } from "../src/recommend/fit/fit-weights.js";
import { createNoveltyCheck } from "../src/recommend/novelty.js";
import { createProfiles } from "../src/recommend/profiles.js";
import { prepareQuery } from "../src/recommend/query.js";
import { readInverseFrequency, readOnceCalls, readRerankModel } from "../src/recommend/rerank-model.js";

/** A candidate of mode `complete`, with its features and its linear score. */
interface BestCell {
  readonly code: string;
  readonly clean: string;
  readonly adapted: string;
  readonly insert: string;
  readonly row: Float64Array;
  readonly score: number;
  /** The difference of the linear score to the best score of the pool. */
  readonly gap: number;
}

/** Number of candidates per list for training the trees, which only reorder the best candidates by linear score. */
const BEST_PER_LIST = 40;
/** Cache size, enough for all cells of the index. */
const PROFILE_BYTES = 300 * 2 ** 20;
const PAGE = 500;

/** Collects the best candidates of half-typed cells, ranked as for an answer, without cells of the same author. */
export async function collectBest({ store, embedder, labeller }: Services, folder: string) {
  const idf = await readInverseFrequency(folder);
  const isOnce = await readOnceCalls(folder);
  const { weights } = await readRerankModel(folder);
  const linear = Float64Array.from(FEATURES, ({ name }) => weights.complete[name] ?? 0);
  const profiles = createProfiles(PROFILE_BYTES);
  const own = await groupNotebooks();

  return async ({ code, context, group }: { code: string; context: QueryContext; group: string }) => {
    const clean = strip(code).text;
    const prepared = await prepareQuery({ embedder, idf }, { code, clean }, context);
    const filter = chooseFilter(labeller.label(clean, "prefix"), "soft");
    const pool = await findCandidates(store, prepared, POOL_LIMITS.size, POOL_LIMITS, filter);
    const [found, vectors] = [await profiles.find(pool, store), await store.vectors(pool)];
    const places = await store.provenance(pool, { notebooks: own.get(group) ?? [] });
    const isNovel = createNoveltyCheck(context.before);
    const cells = pool.flatMap((id) => {
      const [profile, vector] = [found.get(id), vectors.get(id)];
      if (!profile || !vector || places.get(id)?.first == null || !isNovel(id, profile)) return [];
      return [{ id, profile, vector }];
    });
    const rows = compareCells(FEATURES, profileQuery(code, context, idf, isOnce), prepared.vectors, cells);
    const ranked = cells
      .map(({ id }, at) => ({ id, row: rows[at]!, score: dot(rows[at]!, linear) }))
      .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
    const stored = new Map((await store.cells(ranked.map(({ id }) => id))).map((cell) => [cell.id, cell]));
    const help = createHitAdapter(code, context);
    const best: BestCell[] = [];
    const texts = new Set<string>();
    for (const { id, row, score } of ranked) {
      if (best.length === BEST_PER_LIST) break;
      const cell = stored.get(id);
      if (cell === undefined || texts.has(cell.clean)) continue;
      const { insert, adapted } = help(cell.code);
      if (insert === "") continue;
      texts.add(cell.clean);
      const gap = ranked[0]!.score - score;
      best.push({ code: cell.code, clean: cell.clean, adapted: adapted.code, insert: adapted.insert, row, score, gap });
    }
    return best;
  };

  /** Ids of the stored notebooks of each author. make-dev-sets.js names notebooks CORPUS/OWNER... */
  async function groupNotebooks(): Promise<Map<string, string[]>> {
    const groups = new Map<string, string[]>();
    for (let after = ""; ; ) {
      const page = await store.notebooks({ limit: PAGE, ...(after !== "" && { after }) });
      for (const { id, name } of page) {
        const group = name.slice(name.indexOf("/") + 1).split(/[+/_]/)[0]!;
        groups.set(group, [...(groups.get(group) ?? []), id]);
      }
      if (page.length < PAGE) return groups;
      after = page.at(-1)!.id;
    }
  }
}
