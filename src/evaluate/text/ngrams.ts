import { tokenize } from "../../python/tokenize.js";
import { PythonTokenError, tokenizePython } from "../published/python-tokens.js";

/** The n-grams of a list of words with their counts, one map for each order from 1. */
export type WordGrams = readonly ReadonlyMap<string, number>[];

const MAX_ORDER = 4;
/** Separates the words of an n-gram; no word contains it. */
const SEPARATOR = "\n";

/** The 1- to 4-grams that BLEU counts. */
export function wordGrams(words: readonly string[]): WordGrams {
  return Array.from({ length: MAX_ORDER }, (_, order) => {
    const counts = new Map<string, number>();
    for (let at = 0; at + order < words.length; at += 1) {
      let gram = words[at]!;
      for (let next = at + 1; next <= at + order; next += 1) gram += SEPARATOR + words[next]!;
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    return counts;
  });
}

/** The number of common n-grams (clipped to the smaller count), each multiplied by its `weight`. */
export function sharedGrams(
  given: ReadonlyMap<string, number>,
  wanted: ReadonlyMap<string, number>,
  weight: (gram: string) => number = () => 1,
): number {
  let shared = 0;
  for (const [gram, count] of given) shared += weight(gram) * Math.min(count, wanted.get(gram) ?? 0);
  return shared;
}

/** The length of the longest common subsequence. */
export function longestCommon(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (const word of a) {
    for (let at = 1; at <= b.length; at += 1) {
      row[at] = word === b[at - 1] ? above[at - 1]! + 1 : Math.max(above[at]!, row[at - 1]!);
    }
    [above, row] = [row, above];
  }
  return above[b.length]!;
}

/** ROUGE's words in lower case: runs of a to z and digits. */
export function rougeWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/**
 * The words that n-gram metrics compare: Python's tokens without comments and line breaks. Strings are split at white space, so tools that split at white space see the same words.
 * @example codeTokens("x = f('a b')  # why") // ["x", "=", "f", "(", "'a", "b'", ")"]
 */
export function codeTokens(code: string): string[] {
  const words: string[] = [];
  for (const text of tokenTexts(code)) for (const word of text.split(WHITE_SPACE)) if (word !== "") words.push(word);
  return words;
}

/**
 * Python's own tokens, even for magics. If Python's `tokenize` raises, for example for half a statement, our lexer's
 * tokens are used.
 */
function tokenTexts(code: string): string[] {
  try {
    return tokenizePython(code)
      .filter(({ kind }) => kind !== "comment")
      .map(({ text }) => text);
  } catch (error) {
    if (!(error instanceof PythonTokenError)) throw error;
    return tokenize(code)
      .filter(({ kind }) => kind !== "comment" && kind !== "newline")
      .map(({ text }) => text);
  }
}

/** White space as in Python's `str.split`, which differs from `\s`. */
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
