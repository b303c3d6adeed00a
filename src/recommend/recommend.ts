import { randomUUID } from "node:crypto";
import { strip } from "../clean/strip.js";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller, LabelProbability } from "../label/labeller.js";
import type { Exclusion, LabelFilter, VectorStore } from "../store/vector-store.js";
import { type Candidate, gather } from "./gather.js";
import { chooseFilter, type FilterMode } from "./label-filter.js";

export interface RecommendDeps {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
}

export interface RecommendRequest {
  readonly code: string;
  readonly k: number;
  /** Only cells that have this label. */
  readonly label?: string;
  readonly filter: FilterMode;
  readonly collapse: boolean;
  readonly exclude?: Exclusion;
}

export interface Recommendation {
  readonly rank: number;
  readonly id: string;
  readonly code: string;
  readonly score: number;
  readonly confidence: number | null;
  readonly labels: readonly string[];
  readonly occurrences: number;
  readonly notebook: { readonly id: string; readonly name: string; readonly cellIndex: number };
}

export interface RecommendAnswer {
  readonly id: string;
  readonly query: { readonly primary: string | null; readonly labels: readonly LabelProbability[] };
  /** Whether the label filter left fewer than k cells, so that others were added behind them. */
  readonly widened: boolean;
  readonly recommendations: readonly Recommendation[];
  /** Milliseconds per stage. */
  readonly took: Readonly<Record<string, number>>;
}

export type Recommend = (request: RecommendRequest) => Promise<RecommendAnswer>;

/**
 * The read path: label and embed what is typed, search, and describe the cells found.
 * @example
 * const recommend = createRecommend({ embedder, labeller, store });
 * const { recommendations } = await recommend({ code: "df = pd.read_", k: 3, filter: "soft", collapse: true });
 */
export function createRecommend({ embedder, labeller, store }: RecommendDeps): Recommend {
  return async ({ code, k, label, filter, collapse, exclude }) => {
    const clock = createClock();
    const clean = strip(code).text;
    const labelling = clock.time("label", () => labeller.label(clean, "prefix"));
    // A cell that so far is only a comment says in words what it is about to do.
    const [vector] = await clock.timeAsync("embed", () => embedder.embed([clean || code], "query"));

    const find = (count: number, within?: LabelFilter): Promise<Candidate[]> => {
      if (vector == null) return Promise.resolve([]);
      const search = (fetch: number) => store.search({ vector, k: fetch, ...(within && { filter: within }) });
      return gather(store, search, count, { collapse, ...(exclude && { exclude }) });
    };
    const within = chooseFilter(labelling, filter, label);
    const { found, widened } = await clock.timeAsync("search", () => findEnough(find, k, within));
    return {
      id: randomUUID(),
      query: { primary: labelling.primary, labels: labelling.labels },
      widened,
      recommendations: found.map(toRecommendation),
      took: clock.took(),
    };
  };
}

/** Where the filter leaves fewer than k, the best of the rest follow. */
async function findEnough(
  find: (count: number, within?: LabelFilter) => Promise<Candidate[]>,
  k: number,
  within: LabelFilter | undefined,
): Promise<{ found: Candidate[]; widened: boolean }> {
  const found = await find(k, within);
  if (found.length >= k || within === undefined) return { found, widened: false };
  const known = new Set(found.flatMap(({ cell }) => [cell.id, cell.clean]));
  const rest = (await find(k + found.length)).filter(({ cell }) => !known.has(cell.id) && !known.has(cell.clean));
  const more = rest.slice(0, k - found.length);
  return { found: [...found, ...more], widened: more.length > 0 };
}

function toRecommendation({ cell, score, occurrences, place }: Candidate, index: number): Recommendation {
  return {
    rank: index + 1,
    id: cell.id,
    code: cell.code,
    score,
    confidence: null,
    labels: cell.labels,
    occurrences,
    notebook: { id: place.notebook, name: place.name, cellIndex: place.cellIndex },
  };
}

function createClock() {
  const start = performance.now();
  const took: Record<string, number> = {};
  const note = (stage: string, from: number) => {
    took[stage] = round(performance.now() - from);
  };
  return {
    time<T>(stage: string, action: () => T): T {
      const from = performance.now();
      const result = action();
      note(stage, from);
      return result;
    },
    async timeAsync<T>(stage: string, action: () => Promise<T>): Promise<T> {
      const from = performance.now();
      const result = await action();
      note(stage, from);
      return result;
    },
    took: () => ({ ...took, total: round(performance.now() - start) }),
  };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
