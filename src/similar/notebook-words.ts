import { BUILTINS, KEYWORDS } from "../python/words.js";

/** How often each name and word stands in a notebook: identifiers as a whole, and the words of its strings and comments. */
export type WordCounts = ReadonlyMap<string, number>;

const WORD = /[\p{L}_][\p{L}\p{N}_]+/gu;

export function countWords(codes: readonly string[]): WordCounts {
  const counts = new Map<string, number>();
  for (const code of codes)
    for (const word of code.match(WORD) ?? [])
      if (!KEYWORDS.has(word) && !BUILTINS.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** A measure of how much two of these notebooks say in the same words, from 0 to 1. What few of them say counts most. */
export function createWordLikeness(all: readonly WordCounts[]): (one: WordCounts, other: WordCounts) => number {
  const held = new Map<string, number>();
  for (const counts of all) for (const word of counts.keys()) held.set(word, (held.get(word) ?? 0) + 1);
  const rarity = (word: string) => {
    const count = held.get(word) ?? 0;
    return Math.log(1 + (all.length - count + 0.5) / (count + 0.5));
  };
  const weigh = (counts: WordCounts) =>
    new Map([...counts].map(([word, count]) => [word, (1 + Math.log(count)) * rarity(word)]));
  const known = new Map<WordCounts, ReadonlyMap<string, number>>();
  const weightsOf = (counts: WordCounts) => {
    const weights = known.get(counts) ?? weigh(counts);
    known.set(counts, weights);
    return weights;
  };
  return (one, other) => {
    const [a, b] = [weightsOf(one), weightsOf(other)];
    let product = 0;
    for (const [word, weight] of a) product += weight * (b.get(word) ?? 0);
    // One root for both, so that the same words give exactly 1.
    return product === 0 ? 0 : Math.min(1, product / Math.sqrt(sumOfSquares(a) * sumOfSquares(b)));
  };
}

function sumOfSquares(weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of weights.values()) sum += weight * weight;
  return sum;
}
