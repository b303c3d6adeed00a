/** The n-grams of a list of words with their counts, one map for each order from 1. */
export type WordGrams = readonly ReadonlyMap<string, number>[];

const ORDERS = 4;
/** Stands between the words of an n-gram, and in no word. */
const GAP = "\n";

/** The 1- to 4-grams that BLEU counts. */
export function wordGrams(words: readonly string[]): WordGrams {
  return Array.from({ length: ORDERS }, (_, order) => {
    const counts = new Map<string, number>();
    for (let at = 0; at + order < words.length; at += 1) {
      let gram = words[at]!;
      for (let next = at + 1; next <= at + order; next += 1) gram += GAP + words[next]!;
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    return counts;
  });
}

/** How many n-grams both have, one of a kind at most as often as the rarer side; `weight` is what one of a kind counts. */
export function sharedGrams(
  given: ReadonlyMap<string, number>,
  wanted: ReadonlyMap<string, number>,
  weight: (gram: string) => number = () => 1,
): number {
  let shared = 0;
  for (const [gram, count] of given) shared += weight(gram) * Math.min(count, wanted.get(gram) ?? 0);
  return shared;
}
