import type { Embedder } from "../embed/embedder.js";
import { isRenamable, nameRoles } from "../python/name-roles.js";
import { strip } from "../python/strip.js";
import { subwords } from "../python/subwords.js";
import { tokenize } from "../python/tokenize.js";
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
  /** The words by which cells that continue the last typed line are found; empty if nothing is typed. */
  readonly lineWords: ReadonlyMap<string, number>;
  /** The vectors of the parts, for the second stage. */
  readonly vectors: QueryVectors;
}

/** Weight of the words of the cell before and of the Markdown; a typed word has 1. */
export const CONTEXT_WORDS = 0.25;
/** Maximum number of context words searched in addition to typed words. More cost time without better results. */
const MAX_CONTEXT_WORDS = 4;
/** Minimum number of typed words to search for. If fewer are rare, the common ones are searched for, too. */
const MIN_TYPED_WORDS = 3;
/** Maximum characters of a half-typed word; longer ones count as complete. */
const MAX_HALF_TYPED = 30;
/** Maximum number of characters of each part from which words are read. */
const MAX_CHARACTERS = 30_000;
/** Maximum number of characters of the line that is being typed. */
const MAX_LINE = 1_000;

/** A line that probably comes next, in the user's names, with its probability. */
export interface ExpectedLine {
  readonly text: string;
  readonly confidence: number;
}

interface QueryOptions {
  /** Probable lines of an empty cell; cells with their words are searched, too. */
  readonly expected?: readonly ExpectedLine[];
  readonly signal?: AbortSignal | undefined;
}

/** Embeds the query's parts and collects its words. */
export async function prepareQuery(
  {
    embedder,
    idf,
    findWords = () => [],
    minIdf = 0,
  }: {
    readonly embedder: Embedder;
    readonly idf: InverseFrequency;
    readonly findWords?: FindWords;
    /** Typed words with a lower IDF are not searched for, unless too few words would be left. */
    readonly minIdf?: number;
  },
  typed: TypedCode,
  { before = [], markdown = "" }: QueryContext,
  { expected = [], signal }: QueryOptions = {},
): Promise<PreparedQuery> {
  const last = before.at(-1) ?? "";
  const texts = [textOf(typed), strip(last).text, markdown];
  const [code = null, above = null, remark = null] = await embedder.embed(texts, "query", signal);
  const hasContext = above !== null || remark !== null;
  return {
    vector: hasContext ? mixVectors(code, [above, remark]) : code,
    words: new Map([
      ...beginWords(typed.code, findWords),
      ...weighWords(typed.code, [last, markdown], idf, minIdf),
      ...expectedWords(expected),
    ]),
    lineWords: readLineWords(typed.code, findWords),
    vectors: { code, before: above, markdown: remark },
  };
}

/** The text to embed: the cleaned code, or the comments if nothing else is typed. */
export function textOf({ code, clean }: TypedCode): string {
  return clean || code.replaceAll("#", " ");
}

/** Weight of a word that may complete the last typed word. */
const UNFINISHED_WORD_WEIGHT = 0.5;
const MIN_HALF_TYPED = 2;
/** Additional weight of words in the line that is being typed. */
const LINE_WORDS = 1;

/**
 * Words that may complete the half-typed word at the cursor, such as `isnull` for `isn`. No cell contains `isn` itself.
 */
function beginWords(code: string, findWords: FindWords): [string, number][] {
  const begun = /[A-Za-z][A-Za-z0-9]*$/.exec(code.slice(-MAX_HALF_TYPED))?.[0].toLowerCase() ?? "";
  if (begun.length < MIN_HALF_TYPED || begun.length === MAX_HALF_TYPED) return [];
  return findWords(begun).map((word) => [word, UNFINISHED_WORD_WEIGHT]);
}

/** Weight of the words of a line that is certain to come next. */
const EXPECTED_WORDS = 1;

function expectedWords(lines: readonly ExpectedLine[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const { text, confidence } of lines)
    for (const word of readLineWords(text).keys())
      weights.set(word, (weights.get(word) ?? CONTEXT_WORDS) + EXPECTED_WORDS * confidence);
  return weights;
}

/**
 * The words that a stored line must contain to start like the last typed line: its attributes, calls, modules and
 * keyword arguments. Variables and literals are left out, because they may differ. A line without such words is looked
 * up by the names of its variables.
 */
export function readLineWords(code: string, findWords: FindWords = () => []): Map<string, number> {
  const line = code.slice(code.lastIndexOf("\n") + 1).slice(-MAX_LINE);
  const tokens = tokenize(line);
  if (tokens[0]?.kind === "magic") return new Map([...readWords(line)].map((word) => [word, 1]));
  const roles = nameRoles(tokens);
  const names = tokens.flatMap(({ kind, text, end }, at) => {
    const isFixed = !isRenamable(roles[at]) || tokens[at + 1]?.text === "(" || end === line.length;
    return kind === "name" ? [{ text, isFixed }] : [];
  });
  const fixed = names.filter(({ isFixed }) => isFixed);
  const words = (fixed.length > 0 ? fixed : names).flatMap(({ text }) => [...readWords(text)]);
  return new Map([...words, ...beginWords(line, findWords).map(([word]) => word)].map((word) => [word, 1]));
}

/**
 * Weights of the search words. Typed words that also occur in the context weigh more. Only the other context words with
 * the highest IDF are searched.
 */
function weighWords(
  code: string,
  context: readonly string[],
  idf: InverseFrequency,
  minIdf: number,
): Map<string, number> {
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
  const rare = minIdf > 0 ? [...weights].filter(([word]) => idf(word) >= minIdf) : [];
  const typed = rare.length < MIN_TYPED_WORDS ? weights : rare;
  return new Map([...typed, ...telling.slice(0, MAX_CONTEXT_WORDS)]);
}

function readWords(text: string): Set<string> {
  return new Set(subwords(text.slice(0, MAX_CHARACTERS)));
}
