import { createBestRows, type ScoredRow } from "./best-rows.js";
import { indexOf } from "./postings.js";

/** Some of the documents that hold a word, ascending, from `start` to `end`; or the counts of all documents. */
export interface PostingList {
  readonly docs: Uint32Array;
  readonly counts: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** By document; the list is empty then. */
  readonly dense: Uint8Array | null;
}

/** A word of a query. A document that holds it `count` times gets gain * count / (count + softness). */
export interface Term {
  readonly gain: number;
  /** The most that it gives any document. */
  readonly bound: number;
  /** How many postings there are to read. */
  readonly postings: number;
  readonly lists: readonly PostingList[];
}

/** What a search knows of the documents. */
export interface Documents {
  readonly count: number;
  readonly lengths: Uint32Array;
  /** Softness of a document: base + perWord * its number of words. */
  readonly base: number;
  readonly perWord: number;
  /** The row of a document, or -1 where it must not be found. Asked a few times per document that is good enough. */
  rowOf(doc: number): number;
}

/** The documents that have a score so far. Functions below read its arrays into constants: loops over them are the search. */
interface Pool {
  /** By document, 0 where it is not in the pool; all 0 between two searches. */
  scores: Float32Array;
  /** Those that are, in the order they were found. */
  docs: Uint32Array;
  size: number;
}

/** Scores are float32 sums; two within this share of each other may be in either order. */
const ROUNDING = 1e-5;
/** Reading postings one after another is this many times faster than looking one up. */
const LOOKUP_COST = 16;
/** Documents that show what the k best are sure to reach: those that hold the rarest words were found first. */
const FIRST = 2_000;

/** Finds the best documents of a few terms; keeps its working memory from search to search. */
export function createTermSearch() {
  const pool: Pool = { scores: new Float32Array(1024), docs: new Uint32Array(1024), size: 0 };

  /**
   * The k best by BM25, best first; ties go to the smaller row. Exact, by MaxScore (Turtle and Flood, 1995): the terms are
   * taken in descending order of what they can give. Once k documents are sure of more than all further terms together can
   * give, no other document can get there: for the further terms only the pool is looked up, and it shrinks.
   */
  return (unsorted: readonly Term[], documents: Documents, k: number): ScoredRow[] => {
    const terms = [...unsorted].sort((a, b) => b.bound - a.bound || a.postings - b.postings);
    if (pool.scores.length < documents.count) {
      pool.scores = new Float32Array(Math.ceil(1.25 * documents.count));
      pool.docs = new Uint32Array(pool.scores.length);
    }
    /** By term: what it and those behind it can give together. */
    const rest = [...terms.map(({ bound }) => bound), 0];
    for (let index = terms.length - 1; index >= 0; index -= 1) rest[index]! += rest[index + 1]!;
    try {
      let next = 0;
      let cutoff = 0;
      for (; next < terms.length; next += 1) {
        const term = terms[next]!;
        if (isWorthLooking(pool, term, k, terms.length - next, rest[0]! - rest[next]!, rest[next]!)) {
          cutoff = findCutoff(pool, documents, k, terms, next);
          if (cutoff > rest[next]!) break;
        }
        addToAll(pool, term, documents);
      }
      for (; next < terms.length; next += 1) {
        prune(pool, cutoff - rest[next]!);
        addToPool(pool, terms[next]!, documents);
      }
      return chooseBest(pool, documents, k).sorted();
    } finally {
      empty(pool);
    }
  };
}

/** Finding the cutoff looks k documents up in all terms that are left; that must be less than what it may save. */
function isWorthLooking(pool: Pool, term: Term, k: number, left: number, given: number, rest: number): boolean {
  return pool.size >= k && 2 * given > rest && term.postings > LOOKUP_COST * k * left;
}

/** What the k best so far are sure to reach: the lowest of their scores with all terms. */
function findCutoff(pool: Pool, documents: Documents, k: number, terms: readonly Term[], next: number): number {
  const leaders = chooseBest(pool, documents, k, { byDocument: true, end: FIRST + 4 * k }).sorted();
  if (leaders.length < k) return 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (const { row: doc, score } of leaders) {
    let full = score;
    for (let index = next; index < terms.length; index += 1) full += give(terms[index]!, documents, doc);
    if (full < lowest) lowest = full;
  }
  return lowest * (1 - ROUNDING);
}

/** What a term gives one document. */
function give({ gain, lists }: Term, { lengths, base, perWord }: Documents, doc: number): number {
  for (const list of lists) {
    const count = countIn(list, doc);
    if (count > 0) return (gain * count) / (count + base + perWord * lengths[doc]!);
  }
  return 0;
}

function countIn({ docs, counts, start, end, dense }: PostingList, doc: number): number {
  if (dense !== null) return doc < dense.length ? dense[doc]! : 0;
  const at = indexOf(docs, doc, start, end);
  return at === -1 ? 0 : counts[at]!;
}

/** Lets go of the documents that have less. */
function prune(pool: Pool, least: number): void {
  const { scores, docs, size } = pool;
  let kept = 0;
  for (let at = 0; at < size; at += 1) {
    const doc = docs[at]!;
    if (scores[doc]! < least) scores[doc] = 0;
    else docs[kept++] = doc;
  }
  pool.size = kept;
}

function addToAll(pool: Pool, { gain, lists }: Term, { lengths, base, perWord }: Documents): void {
  const { scores, docs: found } = pool;
  let { size } = pool;
  for (const { docs, counts, start, end, dense } of lists) {
    if (dense !== null) {
      for (let doc = 0; doc < dense.length; doc += 1) {
        const count = dense[doc]!;
        if (count === 0) continue;
        const score = scores[doc]!;
        if (score === 0) found[size++] = doc;
        scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
      }
    }
    for (let at = start; at < end; at += 1) {
      const doc = docs[at]!;
      const count = counts[at]!;
      const score = scores[doc]!;
      if (score === 0) found[size++] = doc;
      scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
    }
  }
  pool.size = size;
}

/** Looks each document of the pool up, or reads the whole list where that is less work. */
function addToPool(pool: Pool, term: Term, documents: Documents): void {
  const { scores, docs, size } = pool;
  const { gain, lists, postings } = term;
  const { lengths, base, perWord } = documents;
  const isShort = lists.every(({ dense }) => dense === null) && postings < size * Math.log2(postings + 2);
  if (!isShort) {
    for (let at = 0; at < size; at += 1) scores[docs[at]!]! += give(term, documents, docs[at]!);
    return;
  }
  for (const { docs: held, counts, start, end } of lists) {
    for (let at = start; at < end; at += 1) {
      const doc = held[at]!;
      const score = scores[doc]!;
      if (score === 0) continue;
      const count = counts[at]!;
      scores[doc] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
    }
  }
}

/** By row, or, where `byDocument`, by document; among the first `end` that were found. */
function chooseBest(
  { scores, docs, size }: Pool,
  { rowOf }: Documents,
  k: number,
  { byDocument = false, end = size }: { byDocument?: boolean; end?: number } = {},
) {
  const best = createBestRows(k);
  let { worst } = best;
  for (let at = 0; at < Math.min(end, size); at += 1) {
    const doc = docs[at]!;
    const score = scores[doc]!;
    if (score < worst) continue;
    const row = rowOf(doc);
    if (row === -1) continue;
    best.offer(byDocument ? doc : row, score);
    worst = best.worst;
  }
  return best;
}

function empty(pool: Pool): void {
  const { scores, docs, size } = pool;
  for (let at = 0; at < size; at += 1) scores[docs[at]!] = 0;
  pool.size = 0;
}
