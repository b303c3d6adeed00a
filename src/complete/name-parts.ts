/**
 * The words in names, strings, comments and headings. Shared words predict the next token: `y_pred` comes from
 * `predict`, and `dropna` follows the comment "drop missing values".
 */
export type Parts = readonly string[];

export const NO_PARTS: Parts = [];
/** Shorter words match only if they are equal. */
const MIN_STEM = 4;
const MAX_WORDS = 24;
const MIN_WORD = 3;
const MAX_MARKDOWN = 200;

/** Splits a name: `X_train2` has the parts `x`, `train` and `2`. */
export function partsOf(name: string): Parts {
  const found = name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g);
  return found === null ? NO_PARTS : found.map((part) => part.toLowerCase());
}

const MAX_REMEMBERED = 20_000;

/** `partsOf` with a cache. */
export function createPartsReader(): (name: string) => Parts {
  const remembered = new Map<string, Parts>();
  return (name) => {
    let parts = remembered.get(name);
    if (parts === undefined) {
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      parts = partsOf(name);
      remembered.set(name, parts);
    }
    return parts;
  };
}

const STOP_WORDS = new Set(
  "the and for with from this that these those are was has have not all our you your can will into let its them then use using which each one two".split(
    " ",
  ),
);

/** The first words of a sentence, without common words. */
export function wordsOf(text: string): Parts {
  const words = new Set<string>();
  for (const part of partsOf(text)) {
    if (part.length >= MIN_WORD && !STOP_WORDS.has(part)) words.add(part);
    if (words.size === MAX_WORDS) break;
  }
  return [...words];
}

/** The words of the last lines of the Markdown above. */
export function topicOf(markdown: string): Parts {
  return wordsOf(markdown.slice(-MAX_MARKDOWN));
}

/** The Dice coefficient of two lists of parts: 1 for equal names, 0 for names without a common part. */
export function overlap(own: Parts, other: Parts): number {
  if (own.length === 0 || other.length === 0) return 0;
  let shared = 0;
  for (const part of own) if (other.includes(part)) shared += 1;
  return (2 * shared) / (own.length + other.length);
}

/** Share of the parts of `own` that have the stem of a word in `other`: `dropna` has the stem of `drop`. */
export function stemMatch(own: Parts, other: Parts): number {
  if (own.length === 0 || other.length === 0) return 0;
  let shared = 0;
  for (const part of own) if (other.some((word) => haveSameStem(part, word))) shared += 1;
  return shared / own.length;
}

function haveSameStem(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < MIN_STEM) return false;
  // Two long words may end differently: `plotting` and `plots`.
  const stem = Math.max(MIN_STEM, shorter - 2);
  return a.startsWith(b.slice(0, stem)) && (shorter > stem || a.startsWith(b) || b.startsWith(a));
}
