import { ownCopy } from "./own-copy.js";

const SUBWORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{Nd}+|[^\s_\p{L}\p{Nd}\p{M}]/gu;

/**
 * The subwords of code, lower-cased: identifiers split at underscores and case changes, numbers, single punctuation
 * marks. The one splitter for everything that compares code by words. The words stand by themselves, because they are
 * remembered longer than the text.
 * @example subwords("X_train = readCSV(2)") // ["x", "train", "=", "read", "csv", "(", "2", ")"]
 */
export function subwords(text: string): string[] {
  return text.match(SUBWORD)?.map((word) => ownCopy(word.toLowerCase())) ?? [];
}
