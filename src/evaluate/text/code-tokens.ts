import { tokenize } from "../../python/tokenize.js";

/**
 * The words that n-gram metrics compare: Python's tokens without comments and line breaks, and a string by the words in
 * it, so that tools that split at white space see the same ones.
 * @example codeTokens("x = f('a b')  # why") // ["x", "=", "f", "(", "'a", "b'", ")"]
 */
export function codeTokens(code: string): string[] {
  const words: string[] = [];
  for (const { kind, text } of tokenize(code)) {
    if (kind === "comment" || kind === "newline") continue;
    for (const word of text.split(WHITE_SPACE)) if (word !== "") words.push(word);
  }
  return words;
}

/** What Python's `str.split` takes for white space, which is not what `\s` is. */
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
