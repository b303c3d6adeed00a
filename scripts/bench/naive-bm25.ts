import { subwords } from "../../src/python/subwords.js";

const K1 = 1.2;
const B = 0.4;

/** Textbook BM25 that reads every posting of every word. The store must find the same cells. */
export function createNaiveBm25() {
  const postings = new Map<string, { docs: number[]; counts: number[] }>();
  const lengths: number[] = [];
  let total = 0;

  return {
    add(code: string): void {
      const words = subwords(code);
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const [word, count] of counts) {
        const list = postings.get(word) ?? { docs: [], counts: [] };
        if (list.docs.length === 0) postings.set(word, list);
        list.docs.push(lengths.length);
        list.counts.push(Math.min(255, count));
      }
      lengths.push(words.length);
      total += words.length;
    },
    /** The scores of the k best, best first. */
    search(words: ReadonlyMap<string, number>, k: number): number[] {
      const scores = new Float64Array(lengths.length);
      const average = total / lengths.length;
      for (const [word, weight] of words) {
        const list = postings.get(word);
        if (list === undefined) continue;
        const idf = Math.log(1 + (lengths.length - list.docs.length + 0.5) / (list.docs.length + 0.5));
        for (const [at, doc] of list.docs.entries()) {
          const count = list.counts[at]!;
          scores[doc]! += (weight * idf * (K1 + 1) * count) / (count + K1 * (1 - B + (B * lengths[doc]!) / average));
        }
      }
      return [...scores.sort().slice(-k).reverse()].filter((score) => score > 0);
    },
  };
}
