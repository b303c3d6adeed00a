import { cellId, extractCells } from "../../cells/extract.js";
import { strip } from "../../clean/strip.js";
import { RecommenderError } from "../../errors.js";
import type { NamedNotebook } from "../../ingest/ingest.js";
import { subwords } from "../../python/subwords.js";
import { createLexicalIndex } from "../../store/lexical-index.js";
import { createRandom } from "../statistics/random.js";
import type { Target, TargetHit, TargetQuery } from "../target.js";

/** What a recommender has to beat. */
export const BASELINES = ["bm25", "bm25-context", "popular", "random"] as const;
export type BaselineName = (typeof BASELINES)[number];

/** What the context's words weigh beside those of the query. */
const CONTEXT_WEIGHT = 0.25;

interface BaselineCell {
  readonly id: string;
  readonly code: string;
  occurrences: number;
}

/** The cells that baselines recommend from; several baselines can share one. */
export interface BaselineLibrary {
  readonly cells: readonly BaselineCell[];
  /** The best cells by BM25 over subwords. */
  search(words: ReadonlyMap<string, number>, k: number): { cell: BaselineCell; score: number }[];
  byPopularity(): readonly BaselineCell[];
  add(notebooks: readonly NamedNotebook[]): void;
}

type Rank = (library: BaselineLibrary, query: TargetQuery) => { cell: BaselineCell; score: number }[];

const RANK = {
  bm25: (library, query) => library.search(weigh(query, 0), query.k),
  "bm25-context": (library, query) => library.search(weigh(query, CONTEXT_WEIGHT), query.k),
  popular: (library, { k }) =>
    library
      .byPopularity()
      .slice(0, k)
      .map((cell) => ({ cell, score: cell.occurrences })),
  random: rankRandom,
} satisfies Record<BaselineName, Rank>;

export function createBaselineLibrary(): BaselineLibrary {
  const cells: BaselineCell[] = [];
  const byId = new Map<string, BaselineCell>();
  const lexical = createLexicalIndex();
  let sorted: BaselineCell[] | null = null;
  return {
    cells,
    search: (words, k) => lexical.search({ words, k }).map(({ row, score }) => ({ cell: cells[row]!, score })),
    byPopularity() {
      // The sort is stable: of equally frequent cells the one that was added first comes first.
      sorted ??= [...cells].sort((a, b) => b.occurrences - a.occurrences);
      return sorted;
    },
    add(notebooks) {
      sorted = null;
      for (const { id, code } of notebooks.flatMap(({ notebook }) => extractCells(notebook))) {
        const known = byId.get(id);
        if (known !== undefined) known.occurrences += 1;
        const clean = known === undefined ? strip(code).text : "";
        if (clean === "") continue;
        const cell = { id, code, occurrences: 1 };
        lexical.add(cells.length, subwords(clean));
        byId.set(id, cell);
        cells.push(cell);
      }
    },
  };
}

/** A recommender without a model, over cells in memory. */
export function createBaseline(name: BaselineName, library: BaselineLibrary = createBaselineLibrary()): Target {
  return {
    name: `baseline:${name}`,
    settings: { target: `baseline:${name}` },
    prepare: async () => {},
    add: async (notebooks) => library.add(notebooks),
    async recommend(query) {
      const start = performance.now();
      const ranked = RANK[name](library, query);
      const hits = ranked.map(({ cell, score }): TargetHit => ({ code: cell.code, score, confidence: null }));
      return { hits, junk: 0, took: { total: performance.now() - start } };
    },
    close: async () => {},
  };
}

/** `baseline:bm25` and so on; null for a target of another kind. */
export function parseBaseline(target: string): BaselineName | null {
  if (!target.startsWith("baseline:")) return null;
  const found = BASELINES.find((name) => target === `baseline:${name}`);
  if (found !== undefined) return found;
  throw new RecommenderError(
    "INPUT_INVALID",
    `There is no ${target}; the baselines are ${BASELINES.map((name) => `baseline:${name}`).join(", ")}.`,
  );
}

function weigh({ code, context }: TargetQuery, contextWeight: number): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of subwords(text)) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(strip(code).text || code, 1);
  if (contextWeight > 0 && context !== undefined) {
    add(strip(context.before.at(-1) ?? "").text, contextWeight);
    add(context.markdown, contextWeight);
  }
  return weights;
}

/** The same query always draws the same cells. */
function rankRandom({ cells }: BaselineLibrary, { code, k }: TargetQuery) {
  const random = createRandom(Number.parseInt(cellId(code).slice(0, 8), 16));
  const drawn = new Set<number>();
  while (drawn.size < Math.min(k, cells.length)) drawn.add(Math.floor(random() * cells.length));
  return [...drawn].map((row) => ({ cell: cells[row]!, score: 0 }));
}
