import { RecommenderError } from "../../errors.js";
import { cellId, extractCells } from "../../notebook/extract.js";
import type { NamedNotebook } from "../../notebook/notebook.js";
import { strip } from "../../python/strip.js";
import { subwords } from "../../python/subwords.js";
import { createLexicalIndex } from "../../store/lexical-index.js";
import { createRandom } from "../statistics/bootstrap.js";
import type { Target, TargetHit, TargetQuery } from "../target.js";
import { rougeWords } from "../text/ngrams.js";

/** Recommenders without a model, to compare with. */
export const BASELINES = ["bm25", "bm25-context", "popular", "random", "ret-train", "ret-context"] as const;
type BaselineName = (typeof BASELINES)[number];

/** Weight of the context's words; those of the query have 1. */
const CONTEXT_WEIGHT = 0.25;

interface BaselineCell {
  readonly id: string;
  readonly code: string;
  occurrences: number;
}

/** The cells that baselines recommend from; several baselines can share one. */
interface BaselineLibrary {
  readonly cells: readonly BaselineCell[];
  /** The best cells by BM25 over subwords. */
  search(words: ReadonlyMap<string, number>, k: number): { cell: BaselineCell; score: number }[];
  byPopularity(): readonly BaselineCell[];
  /** The cells below the most similar Markdown. */
  belowMarkdown(markdown: string, k: number): { code: string; score: number }[];
  /** The cells below the most similar code cell. */
  belowCode(code: string, k: number): { code: string; score: number }[];
  add(notebooks: readonly NamedNotebook[]): void;
}

type Rank = (library: BaselineLibrary, query: TargetQuery) => { cell: Pick<BaselineCell, "code">; score: number }[];

const RANKERS = {
  bm25: (library, query) => library.search(weigh(query, 0), query.k),
  "bm25-context": (library, query) => library.search(weigh(query, CONTEXT_WEIGHT), query.k),
  popular: (library, { k }) =>
    library
      .byPopularity()
      .slice(0, k)
      .map((cell) => ({ cell, score: cell.occurrences })),
  random: rankRandom,
  // JuICe's two baselines: the code below the most similar Markdown, in all notebooks or in this one. Executed cells
  // have no Markdown, so the most similar code cell is used instead.
  "ret-train": (library, { context, k }) => {
    const markdown = context?.markdown.trim() ?? "";
    const found = markdown === "" ? library.belowCode(lastOf(context), k) : library.belowMarkdown(markdown, k);
    return found.map(toRanked);
  },
  "ret-context": (_, { context, above = [], k }) => {
    const markdown = context?.markdown.trim() ?? "";
    const index = createMarkdownIndex();
    index.add(markdown === "" ? cellsAsRemarks(above) : above);
    return index.search(markdown === "" ? lastOf(context) : markdown, k).map(toRanked);
  },
} satisfies Record<BaselineName, Rank>;

const toRanked = ({ code, score }: { code: string; score: number }) => ({ cell: { code }, score });

const lastOf = (context: TargetQuery["context"]): string => context?.before.at(-1) ?? "";

/** Treats the code cell before each code cell as its Markdown. */
function cellsAsRemarks(cells: readonly NotebookPart[]): NotebookPart[] {
  const codes = cells.filter(({ type, source }) => type === "code" && source.trim() !== "");
  return codes.flatMap((cell, at) => (at === 0 ? [] : [{ type: "markdown", source: codes[at - 1]!.source }, cell]));
}

export function createBaselineLibrary(): BaselineLibrary {
  const cells: BaselineCell[] = [];
  const byId = new Map<string, BaselineCell>();
  const lexical = createLexicalIndex();
  const markdown = createMarkdownIndex();
  const remarks = createMarkdownIndex();
  // Built on first use: most suites have Markdown.
  const unread: NotebookPart[][] = [];
  let sorted: BaselineCell[] | null = null;
  return {
    cells,
    search: (words, k) => lexical.search({ words, k }).map(({ row, score }) => ({ cell: cells[row]!, score })),
    byPopularity() {
      // The sort is stable, so equally frequent cells stay in the order of addition.
      sorted ??= [...cells].sort((a, b) => b.occurrences - a.occurrences);
      return sorted;
    },
    belowMarkdown: (text, k) => markdown.search(text, k),
    belowCode(code, k) {
      for (const cells of unread.splice(0)) remarks.add(cellsAsRemarks(cells));
      return remarks.search(code, k);
    },
    add(notebooks) {
      sorted = null;
      for (const { notebook } of notebooks) {
        markdown.add(notebook.cells);
        unread.push([...notebook.cells]);
      }
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
      for (const _ of lexical.tidy());
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
      const ranked = RANKERS[name](library, query);
      const hits = ranked.map(({ cell, score }): TargetHit => ({ code: cell.code, score, confidence: null }));
      return { hits, junk: 0, took: { total: performance.now() - start } };
    },
    close: async () => {},
  };
}

/** The baseline named by a target such as `baseline:bm25`; null for other targets. */
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
  // If nothing is typed, the query is the Markdown above, or else the last cell.
  const last = strip(context?.before.at(-1) ?? "").text;
  add(strip(code).text || code.trim() || context?.markdown.trim() || last, 1);
  if (contextWeight > 0 && context !== undefined) {
    add(strip(context.before.at(-1) ?? "").text, contextWeight);
    add(context.markdown, contextWeight);
  }
  return weights;
}

/** Random but deterministic: equal queries get equal cells. */
function rankRandom({ cells }: BaselineLibrary, { code, k, context }: TargetQuery) {
  const text = code.trim() === "" ? [context?.markdown, ...(context?.before ?? [])].join("\n") : code;
  const random = createRandom(Number.parseInt(cellId(text).slice(0, 8), 16));
  const drawn = new Set<number>();
  while (drawn.size < Math.min(k, cells.length)) drawn.add(Math.floor(random() * cells.length));
  return [...drawn].map((row) => ({ cell: cells[row]!, score: 0 }));
}

/** Several baselines over the same cells, by name, ready to be asked. */
export function createBaselines(
  names: readonly BaselineName[],
  notebooks: readonly NamedNotebook[],
): Map<string, Target> {
  const library = createBaselineLibrary();
  library.add(notebooks);
  return new Map(names.map((name) => [name, createBaseline(name, library)]));
}

/** A cell with its type, for finding the Markdown above code. */
interface NotebookPart {
  readonly type: string;
  readonly source: string;
}

/** Code cells by the Markdown directly above them. */
interface MarkdownIndex {
  add(cells: readonly NotebookPart[]): void;
  /**
   * The code below the most similar Markdown by the cosine of tf-idf weights, best first; ties in the order of
   * addition.
   */
  search(markdown: string, k: number): { code: string; score: number }[];
}

interface Entry {
  readonly code: string;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * The index of JuICe's Ret-Train and Ret-Context. The weight of a word is tf * ln((1 + n) / (1 + df)) + tf, where n is
 * the number of entries.
 */
export function createMarkdownIndex(): MarkdownIndex {
  const entries: Entry[] = [];
  const postings = new Map<string, number[]>();
  let norms: Float64Array | null = null;
  const idf = (word: string) => Math.log((1 + entries.length) / (1 + (postings.get(word)?.length ?? 0))) + 1;
  const norm = (counts: ReadonlyMap<string, number>) =>
    Math.sqrt([...counts].reduce((sum, [word, count]) => sum + (count * idf(word)) ** 2, 0));
  return {
    add(cells) {
      norms = null;
      for (const [at, { type, source }] of cells.entries()) {
        const above = cells[at - 1];
        // Only the Markdown cell directly above, as in JuICe.
        if (type !== "code" || source.trim() === "" || above?.type !== "markdown") continue;
        const counts = countWords(above.source);
        if (counts.size === 0) continue;
        for (const word of counts.keys()) {
          const known = postings.get(word);
          if (known === undefined) postings.set(word, [entries.length]);
          else known.push(entries.length);
        }
        entries.push({ code: source, counts });
      }
    },
    search(markdown, k) {
      const wordCounts = countWords(markdown);
      norms ??= Float64Array.from(entries, ({ counts }) => norm(counts));
      const scores = new Map<number, number>();
      for (const [word, count] of wordCounts) {
        const weight = count * idf(word) ** 2;
        for (const row of postings.get(word) ?? []) {
          scores.set(row, (scores.get(row) ?? 0) + weight * entries[row]!.counts.get(word)!);
        }
      }
      const length = norm(wordCounts);
      return [...scores]
        .map(([row, score]) => ({ row, score: score / (length * norms![row]!) }))
        .sort((a, b) => b.score - a.score || a.row - b.row)
        .slice(0, k)
        .map(({ row, score }) => ({ code: entries[row]!.code, score }));
    },
  };
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of rougeWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
