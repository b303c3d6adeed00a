import { LRUCache } from "lru-cache";

const SUBWORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{Nd}+|[^\s_\p{L}\p{Nd}\p{M}]/gu;

/**
 * The subwords of code, lower-cased: identifiers split at underscores and case changes, numbers, single punctuation
 * marks. The only splitter for code that is compared by words. The words are copies, because they outlive the text.
 * @example subwords("X_train = readCSV(2)") // ["x", "train", "=", "read", "csv", "(", "2", ")"]
 */
export function subwords(text: string): string[] {
  return text.match(SUBWORD)?.map((word) => ownCopy(word.toLowerCase())) ?? [];
}

/** In V8, shorter substrings are copies; a longer substring keeps the whole string alive. */
const MIN_VIEW_LENGTH = 13;

/** A copy of the text, so that a cached part of a cell does not keep the whole cell in memory. */
export function ownCopy(text: string): string {
  return text.length < MIN_VIEW_LENGTH ? text : ` ${text}`.slice(1);
}

/** Maximum length of an identifier that is split; longer ones are noise. */
const MAX_PARTS = 8;
export const MAX_RUN = 3;
/**
 * Limits of the cache. Notebooks use the same few thousand names again and again; longer or rarer names are not cached.
 */
const MAX_CACHED_NAMES = 20_000;
const MAX_CACHED_LENGTH = 40;

const cache = new LRUCache<string, readonly string[]>({ max: MAX_CACHED_NAMES });

/**
 * The lower-cased subwords of an identifier and their runs of two and three, joined by `_`: the parts
 * of a name that survive a prefix or a suffix.
 * @example nameParts("my_trainTestSplit") // ["my", "train", "test", "split", "my_train", "train_test", ...]
 */
export function nameParts(name: string): readonly string[] {
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (name.length > MAX_CACHED_LENGTH) return joinRuns(splitName(name));
  const copy = ownCopy(name);
  const parts = joinRuns(splitName(copy));
  cache.set(copy, parts);
  return parts;
}

function joinRuns(words: readonly string[]): string[] {
  const runs = [...words];
  for (let length = 2; length <= MAX_RUN; length += 1) {
    for (let from = 0; from + length <= words.length; from += 1) runs.push(words.slice(from, from + length).join("_"));
  }
  return runs;
}

/** Splits at underscores, digits and case changes; the trailing digits of `model2` are dropped. */
export function splitName(name: string): string[] {
  const words: string[] = [];
  let from = 0;
  let previous = OTHER;
  for (let at = 0; at <= name.length && words.length < MAX_PARTS; at += 1) {
    const kind = at === name.length ? OTHER : charKind(name.charCodeAt(at));
    const next = at + 1 < name.length ? charKind(name.charCodeAt(at + 1)) : OTHER;
    const starts = kind !== previous && !(previous === UPPER && kind === LOWER);
    // In `XGBRegressor`, the last capital of the run belongs to the next word.
    const turns = kind === UPPER && previous === UPPER && next === LOWER;
    if (starts || turns) {
      if (previous === UPPER || previous === LOWER) words.push(name.slice(from, at).toLowerCase());
      from = at;
    }
    previous = kind;
  }
  return words;
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;

function charKind(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code > 127 ? LOWER : OTHER;
}
