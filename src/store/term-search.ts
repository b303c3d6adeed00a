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
  /** The row of a document, or -1 where it must not be found. Asked a few times per document that is good enough. */
  rowOf(doc: number): number;
}

/** The documents that are in the running. Functions below read its arrays into constants: loops over them are the search. */
interface Field {
  /** By document, 0 where it is not in the running; all 0 between two searches. */
  scores: Float32Array;
  /** Those that are, in the order they were found. */
  docs: Uint32Array;
  size: number;
}

/** Scores are float32 sums; two within this share of each other may be in either order. */
const ROUNDING = 1e-5;
/** The k best have a part of what was given so far; while the rest is not much smaller, they need not be asked. */
const WORTH_LOOKING = 4;
/** Documents that show what the k best have so far: those that hold the rarest words were found first. */
const FIRST = 1_000;

/** Finds the best documents of a few terms; keeps its working memory from search to search. */
export function createTermSearch() {
  const field: Field = { scores: new Float32Array(1024), docs: new Uint32Array(1024), size: 0 };

  /**
   * The k best, best first; ties go to the smaller row. The terms come in descending order of gain. Once k documents have more
   * than all further terms together can give, these decide only among the documents that can still get there: the
   * commoner a word, the less it is read for (MaxScore; Turtle and Flood, 1995).
   */
  return (terms: readonly Term[], documents: Documents, k: number): ScoredRow[] => {
    if (field.scores.length < documents.count) {
      field.scores = new Float32Array(2 * documents.count);
      field.docs = new Uint32Array(2 * documents.count);
    }
    let rest = terms.reduce((sum, { gain }) => sum + gain, 0);
    let given = 0;
    let isOpen = true;
    try {
      for (const term of terms) {
        if (isOpen && given > WORTH_LOOKING * rest && field.size >= k) isOpen = !close(field, documents, k, rest);
        if (isOpen) addToAll(field, term, documents);
        else addToField(field, term, documents);
        given += term.gain;
        rest -= term.gain;
      }
      return chooseBest(field, documents, k, field.size).sorted();
    } finally {
      empty(field);
    }
  };
}

/** Drops the documents that cannot be among the k best any more; false where one that has nothing yet still can. */
function close(field: Field, documents: Documents, k: number, rest: number): boolean {
  const { scores, docs, size } = field;
  const needed = chooseBest(field, documents, k, Math.min(size, FIRST)).worst * (1 - ROUNDING);
  if (needed <= rest) return false;
  let kept = 0;
  for (let at = 0; at < size; at += 1) {
    const doc = docs[at]!;
    if (scores[doc]! + rest < needed) scores[doc] = 0;
    else docs[kept++] = doc;
  }
  field.size = kept;
  return true;
}

function addToAll(field: Field, { postings, gain }: Term, { lengths, base, perWord }: Documents): void {
  const { scores, docs: found } = field;
  const { docs, counts, length } = postings;
  let size = field.size;
  for (let at = 0; at < length; at += 1) {
    const doc = docs[at]!;
    const count = counts[at]!;
    const score = scores[doc]!;
    if (score === 0) found[size++] = doc;
    scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
  }
  field.size = size;
}

function addToField({ scores }: Field, { postings, gain }: Term, { lengths, base, perWord }: Documents): void {
  const { docs, counts, length } = postings;
  for (let at = 0; at < length; at += 1) {
    const doc = docs[at]!;
    const score = scores[doc]!;
    if (score === 0) continue;
    const count = counts[at]!;
    scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
  }
}

/** Among the first `end` that were found. */
function chooseBest({ scores, docs }: Field, { rowOf }: Documents, k: number, end: number) {
  const best = createBestRows(k);
  let { worst } = best;
  for (let at = 0; at < end; at += 1) {
    const doc = docs[at]!;
    const score = scores[doc]!;
    if (score < worst) continue;
    const row = rowOf(doc);
    if (row === -1) continue;
    best.offer(row, score);
    worst = best.worst;
  }
  return best;
}

function empty(field: Field): void {
  const { scores, docs, size } = field;
  for (let at = 0; at < size; at += 1) scores[docs[at]!] = 0;
  field.size = 0;
}
