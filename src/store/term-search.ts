import { createBestRows, type ScoredRow } from "./best-rows.js";
import type { Postings } from "./postings.js";

/** A word of a query: the documents that hold it, and the most that it can add to the score of one. */
export interface Term {
  readonly postings: Postings;
  readonly gain: number;
}

/** What a search knows of the documents. BM25 gives a word that occurs `count` times gain * count / (count + softness). */
export interface Documents {
  readonly count: number;
  readonly lengths: Uint32Array;
  /** Softness of a document: base + perWord * its number of words. */
  readonly base: number;
  readonly perWord: number;
  /** The row of a document, or -1 where it must not be found. Asked once or twice per document that is good enough. */
  rowOf(doc: number): number;
}

/** Scores are float32 sums; two within this share of each other may be in either order. */
const ROUNDING = 1e-5;

/** Finds the best documents of a few terms; keeps its working memory from search to search. */
export function createTermSearch() {
  /** By document, 0 where it is no candidate; all 0 between two searches. */
  let scores = new Float32Array(1024);
  /** The documents that are or were candidates. */
  let touched = new Uint32Array(1024);
  let found = 0;

  /**
   * The k best, best first; ties go to the smaller row. The terms come in descending order of gain. Once k documents have more
   * than all further terms together can give, these decide only among the documents that can still get there: the
   * commoner a word, the less it is read for (MaxScore; Turtle and Flood, 1995).
   */
  return (terms: readonly Term[], documents: Documents, k: number): ScoredRow[] => {
    if (scores.length < documents.count) {
      scores = new Float32Array(2 * documents.count);
      touched = new Uint32Array(2 * documents.count);
    }
    found = 0;
    let rest = terms.reduce((sum, { gain }) => sum + gain, 0);
    let given = 0;
    let isOpen = true;
    for (const term of terms) {
      // Nothing can have more than what was given, so while that is little there is no need to look.
      if (isOpen && given > rest && found >= k) isOpen = !closeField(documents, k, rest);
      if (isOpen) addToAll(term, documents);
      else addToCandidates(term, documents);
      given += term.gain;
      rest -= term.gain;
    }
    const best = chooseBest(documents, k);
    for (let at = 0; at < found; at += 1) scores[touched[at]!] = 0;
    return best.sorted();
  };

  /** Drops the documents that cannot be among the k best any more; false where one that has nothing yet still can. */
  function closeField(documents: Documents, k: number, rest: number): boolean {
    const needed = chooseBest(documents, k).worst * (1 - ROUNDING);
    if (needed <= rest) return false;
    let kept = 0;
    for (let at = 0; at < found; at += 1) {
      const doc = touched[at]!;
      if (scores[doc]! + rest < needed) scores[doc] = 0;
      else touched[kept++] = doc;
    }
    found = kept;
    return true;
  }

  function addToAll({ postings, gain }: Term, { lengths, base, perWord }: Documents): void {
    const { docs, counts, length } = postings;
    for (let at = 0; at < length; at += 1) {
      const doc = docs[at]!;
      const count = counts[at]!;
      const score = scores[doc]!;
      if (score === 0) touched[found++] = doc;
      scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
    }
  }

  function addToCandidates({ postings, gain }: Term, { lengths, base, perWord }: Documents): void {
    const { docs, counts, length } = postings;
    for (let at = 0; at < length; at += 1) {
      const doc = docs[at]!;
      const score = scores[doc]!;
      if (score === 0) continue;
      const count = counts[at]!;
      scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
    }
  }

  function chooseBest({ rowOf }: Documents, k: number) {
    const best = createBestRows(k);
    let { worst } = best;
    for (let at = 0; at < found; at += 1) {
      const doc = touched[at]!;
      const score = scores[doc]!;
      if (score < worst) continue;
      const row = rowOf(doc);
      if (row === -1) continue;
      best.offer(row, score);
      worst = best.worst;
    }
    return best;
  }
}
