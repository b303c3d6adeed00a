const MAX_ORDER = 6;
const BETA = 2;

/** White space as in Python's `str.split`, which differs from `\s`. */
const PYTHON_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/** Character n-grams with their counts, one map for each order from 1. */
export type Grams = readonly ReadonlyMap<string, number>[];

/** The n-grams of a text, white space removed, by code points. */
export function characterGrams(text: string): Grams {
  const bare = text.replace(PYTHON_SPACE, "");
  const starts: number[] = [];
  for (let at = 0; at < bare.length; at += bare.codePointAt(at)! > 0xffff ? 2 : 1) starts.push(at);
  starts.push(bare.length);
  return Array.from({ length: MAX_ORDER }, (_, order) => {
    const counts = new Map<string, number>();
    for (let at = 0; at + order + 1 < starts.length; at += 1) {
      const gram = bare.slice(starts[at], starts[at + order + 1]);
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    return counts;
  });
}

/**
 * Sentence chrF of Popović (2015), 0..1: precision and recall of the n-grams are averaged over the orders that both
 * texts are long enough for, then combined as an F-score with beta = 2. 0 if there is no such order.
 */
export function chrF(hypothesis: Grams, reference: Grams): number {
  let precision = 0;
  let recall = 0;
  let orders = 0;
  for (let order = 0; order < MAX_ORDER; order += 1) {
    const predicted = hypothesis[order];
    const wanted = reference[order];
    if (!predicted?.size || !wanted?.size) break;
    const shared = countShared(predicted, wanted);
    precision += shared / countAll(predicted);
    recall += shared / countAll(wanted);
    orders += 1;
  }
  if (orders === 0 || precision + recall === 0) return 0;
  const factor = BETA ** 2;
  return ((1 + factor) * (precision / orders) * (recall / orders)) / ((factor * precision + recall) / orders);
}

function countShared(given: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [gram, count] of given) shared += Math.min(count, wanted.get(gram) ?? 0);
  return shared;
}

function countAll(grams: ReadonlyMap<string, number>): number {
  let all = 0;
  for (const count of grams.values()) all += count;
  return all;
}
