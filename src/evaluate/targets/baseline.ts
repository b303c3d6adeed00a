import { cellId, extractCells } from "../../cells/extract.js";
import { strip } from "../../clean/strip.js";
import { subwords } from "../../clean/subwords.js";
import { RecommenderError } from "../../errors.js";
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

type Rank = (cells: readonly BaselineCell[], query: TargetQuery) => { cell: BaselineCell; score: number }[];

/** A recommender without a model, over the cells in memory. Ties go to the cell that was added first. */
export function createBaseline(name: BaselineName): Target {
  const cells: BaselineCell[] = [];
  const byId = new Map<string, BaselineCell>();
  const lexical = createLexicalIndex();
  let byPopularity: BaselineCell[] | null = null;
  const byWords = (query: TargetQuery, weights: ReadonlyMap<string, number>) =>
    lexical.search({ words: weights, k: query.k }).map(({ row, score }) => ({ cell: cells[row]!, score }));
  const rank = {
    bm25: (_, query) => byWords(query, weigh(query, 0)),
    "bm25-context": (_, query) => byWords(query, weigh(query, CONTEXT_WEIGHT)),
    popular: (_, { k }) => {
      // Popularity does not depend on the query, and the sort is stable.
      byPopularity ??= [...cells].sort((a, b) => b.occurrences - a.occurrences);
      return byPopularity.slice(0, k).map((cell) => ({ cell, score: cell.occurrences }));
    },
    random: rankRandom,
  } satisfies Record<BaselineName, Rank>;

  return {
    name: `baseline:${name}`,
    settings: { target: `baseline:${name}` },
    prepare: async () => {},
    async add(notebooks) {
      byPopularity = null;
      for (const { code } of notebooks.flatMap(({ notebook }) => extractCells(notebook))) {
        const clean = strip(code).text;
        if (clean === "") continue;
        const id = cellId(code);
        const known = byId.get(id);
        if (known !== undefined) known.occurrences += 1;
        else {
          const cell = { id, code, occurrences: 1 };
          lexical.add(cells.length, subwords(clean));
          byId.set(id, cell);
          cells.push(cell);
        }
      }
    },
    async recommend(query) {
      const start = performance.now();
      const ranked = rank[name](cells, query);
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
function rankRandom(cells: readonly BaselineCell[], { code, k }: TargetQuery) {
  const random = createRandom(Number.parseInt(cellId(code).slice(0, 8), 16));
  const drawn = new Set<number>();
  while (drawn.size < Math.min(k, cells.length)) drawn.add(Math.floor(random() * cells.length));
  return [...drawn].map((place) => ({ cell: cells[place]!, score: 0 }));
}
