import type { Embedder } from "../embed/embedder.js";
import { strip } from "../python/strip.js";
import { subwords } from "../python/subwords.js";
import { mixVectors, type QueryVectors } from "./features/compare-cells.js";
import type { InverseFrequency, QueryContext } from "./features/query-profile.js";
import type { FindWords } from "./rerank-model.js";

/** The typed code, raw and cleaned. */
export interface TypedCode {
  readonly code: string;
  readonly clean: string;
}

/** The input of the first stage: the vector and the words to search for, including the context. */
export interface PreparedQuery {
  readonly vector: Float32Array | null;
  readonly words: ReadonlyMap<string, number>;
  /** The vectors of the parts, for the second stage. */
  readonly vectors: QueryVectors;
}

/** Weight of the words of the cell before and of the Markdown; a typed word has 1. */
export const CONTEXT_WORDS = 0.25;
/** Maximum number of context words searched in addition to typed words. More cost time without better results. */
const MAX_CONTEXT_WORDS = 4;
/** Maximum characters of a half-typed word; longer ones count as complete. */
const MAX_BEGUN = 30;
/** Maximum number of characters of each part from which words are read. */
const MAX_CHARACTERS = 30_000;

/** Embeds the query's parts and collects its words. */
export async function prepareQuery(
  {
    embedder,
    idf,
    findWords = () => [],
  }: { readonly embedder: Embedder; readonly idf: InverseFrequency; readonly findWords?: FindWords },
  typed: TypedCode,
  { before = [], markdown = "" }: QueryContext,
  signal?: AbortSignal,
): Promise<PreparedQuery> {
  const last = before.at(-1) ?? "";
  const texts = [textOf(typed), strip(last).text, markdown];
  const [code = null, above = null, remark = null] = await embedder.embed(texts, "query", signal);
  const hasContext = above !== null || remark !== null;
  return {
    vector: hasContext ? mixVectors(code, [above, remark]) : code,
    words: new Map([...beginWords(typed.code, findWords), ...weighWords(typed.code, [last, markdown], idf)]),
    vectors: { code, before: above, markdown: remark },
  };
}

/** The text to embed: the cleaned code, or the comments if nothing else is typed. */
export function textOf({ code, clean }: TypedCode): string {
  return clean || code.replaceAll("#", " ");
}

/** Weight of a word that may complete the last typed word. */
const UNFINISHED_WORD_WEIGHT = 0.5;
const MIN_BEGUN = 2;
/** Additional weight of words in the line that is being typed. */
const LINE_WORDS = 1;

/**
 * Words that may complete the half-typed word at the cursor, such as `isnull` for `isn`. No cell contains `isn` itself.
 */
function beginWords(code: string, findWords: FindWords): [string, number][] {
  const begun = /[A-Za-z][A-Za-z0-9]*$/.exec(code.slice(-MAX_BEGUN))?.[0].toLowerCase() ?? "";
  if (begun.length < MIN_BEGUN || begun.length === MAX_BEGUN) return [];
  return findWords(begun).map((word) => [word, UNFINISHED_WORD_WEIGHT]);
}

/**
 * Weights of the search words. Typed words that also occur in the context weigh more. Of the other context words, those
 * with the highest IDF are searched.
 */
function weighWords(code: string, context: readonly string[], idf: InverseFrequency): Map<string, number> {
  const weights = new Map([...readWords(code)].map((word) => [word, 1]));
  // The line that is being typed matters most.
  const line = code.slice(code.lastIndexOf("\n") + 1);
  if (line.length < code.length) for (const word of readWords(line)) weights.set(word, 1 + LINE_WORDS);
  const others = new Map<string, number>();
  for (const word of context.flatMap((text) => [...readWords(text)])) {
    const known = weights.has(word) ? weights : others;
    known.set(word, (known.get(word) ?? 0) + CONTEXT_WORDS);
  }
  if (weights.size === 0) return others;
  const telling = [...others].sort(([left], [right]) => idf(right) - idf(left));
  return new Map([...weights, ...telling.slice(0, MAX_CONTEXT_WORDS)]);
}

function readWords(text: string): Set<string> {
  return new Set(subwords(text.slice(0, MAX_CHARACTERS)));
}
