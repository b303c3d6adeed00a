import type { ScoredRow } from "./best-rows.js";
import { packLexical, unpackLexical } from "./lexical-file.js";
import { append, createPostings, type Postings, renumber } from "./postings.js";
import { createTermSearch, type Term } from "./term-search.js";

export interface LexicalQuery {
  /** The words looked for, each with its weight. */
  readonly words: ReadonlyMap<string, number>;
  readonly k: number;
  /** Rows that may be found; all where left out. Asked for rows that are good enough to be kept. */
  readonly accepts?: (row: number) => boolean;
}

/** Words of cells by row, held in memory. Rows are whole numbers that the caller chooses. */
export interface LexicalIndex {
  readonly size: number;
  /** Adds a row, or replaces it. */
  add(row: number, words: readonly string[]): void;
  /** Does nothing for a row that is not there. */
  remove(row: number): void;
  has(row: number): boolean;
  /** At most k rows that hold any of the words, best BM25 first; ties go to the smaller row. */
  search(query: LexicalQuery): ScoredRow[];
  /** BM25's log((N - n + .5) / (n + .5) + 1) for a word that n of N rows hold. */
  idf(word: string): number;
  clear(): void;
  /** Everything as bytes for `loadLexicalIndex`. */
  save(): Uint8Array;
}

export interface LexicalState {
  readonly terms: Map<string, number>;
  readonly postings: Postings[];
  /** By document: its row, -1 where it was removed, and its number of words. */
  rows: Int32Array;
  lengths: Uint32Array;
  documents: number;
}

/** BM25 constants: cells are short, so their length says little. */
const K1 = 1.2;
const B = 0.4;
/**
 * Postings read by one search. Words are read in order of what they can add, so what is left out are the brackets and
 * commas that most cells hold; reading those for 100,000 cells would take milliseconds and change no order that matters.
 */
const MOST_POSTINGS = 60_000;
/** Removed documents that are put up with before the postings are rewritten without them. */
const MOST_REMOVED = 5000;

export function createLexicalIndex(): LexicalIndex {
  return overState(emptyState());
}

/** The index that `save` wrote; null where the bytes are not those of an index of this version. */
export function loadLexicalIndex(bytes: Uint8Array): LexicalIndex | null {
  const state = unpackLexical(bytes);
  return state === null ? null : overState(state);
}

function overState(initial: LexicalState): LexicalIndex {
  let state = initial;
  const documentOf = new Map<number, number>();
  let totalLength = 0;
  for (let doc = 0; doc < state.documents; doc += 1) {
    if (state.rows[doc] === -1) continue;
    documentOf.set(state.rows[doc]!, doc);
    totalLength += state.lengths[doc]!;
  }
  let counts = new Uint32Array(Math.max(1024, 2 * state.postings.length));
  const searchTerms = createTermSearch();

  const index: LexicalIndex = {
    get size() {
      return documentOf.size;
    },
    has: (row) => documentOf.has(row),
    add(row, words) {
      index.remove(row);
      const doc = nextDocument(row, words.length);
      for (const term of countTerms(words)) {
        append(state.postings[term]!, doc, counts[term]!);
        counts[term] = 0;
      }
      documentOf.set(row, doc);
      totalLength += words.length;
    },
    remove(row) {
      const doc = documentOf.get(row);
      if (doc === undefined) return;
      documentOf.delete(row);
      totalLength -= state.lengths[doc]!;
      state.rows[doc] = -1;
      const removed = state.documents - documentOf.size;
      if (removed > MOST_REMOVED && removed > documentOf.size) sweep();
    },
    search({ words, k, accepts = () => true }) {
      const { documents: count, rows, lengths } = state;
      const documents = {
        count,
        lengths,
        base: K1 * (1 - B),
        perWord: (K1 * B * documentOf.size) / Math.max(1, totalLength),
        rowOf(doc: number) {
          const row = rows[doc]!;
          return row !== -1 && accepts(row) ? row : -1;
        },
      };
      return searchTerms(chooseTerms(words), documents, k);
    },
    idf: (word) => inverseFrequency(state.postings[state.terms.get(word) ?? -1]?.length ?? 0),
    clear() {
      state = emptyState();
      documentOf.clear();
      totalLength = 0;
    },
    save() {
      sweep();
      return packLexical(state);
    },
  };
  return index;

  function nextDocument(row: number, length: number): number {
    const doc = state.documents;
    if (doc === state.rows.length) {
      state.rows = grown(state.rows, Int32Array);
      state.lengths = grown(state.lengths, Uint32Array);
    }
    state.rows[doc] = row;
    state.lengths[doc] = length;
    state.documents += 1;
    return doc;
  }

  /** The distinct terms of a cell; how often it holds each is left in `counts`. New words become terms. */
  function countTerms(words: readonly string[]): number[] {
    const found: number[] = [];
    for (const word of words) {
      let term = state.terms.get(word);
      if (term === undefined) {
        term = state.postings.length;
        state.terms.set(word, term);
        state.postings.push(createPostings());
        if (term === counts.length) counts = grown(counts, Uint32Array);
      }
      if (counts[term] === 0) found.push(term);
      counts[term]! += 1;
    }
    return found;
  }

  /** What is looked for, the most telling words first. */
  function chooseTerms(words: ReadonlyMap<string, number>): Term[] {
    const terms: Term[] = [];
    for (const [word, weight] of words) {
      const postings = state.postings[state.terms.get(word) ?? -1];
      if (postings === undefined || postings.length === 0 || weight <= 0) continue;
      terms.push({ postings, gain: weight * inverseFrequency(postings.length) * (K1 + 1) });
    }
    terms.sort((a, b) => b.gain - a.gain);
    let left = MOST_POSTINGS;
    const end = terms.findIndex(({ postings }, place) => {
      left -= postings.length;
      return left < 0 && place > 0;
    });
    return end === -1 ? terms : terms.slice(0, end);
  }

  /** Removed documents count until they are swept, so `held` may exceed what is left. */
  function inverseFrequency(held: number): number {
    return Math.log(1 + Math.max(0, state.documents - held + 0.5) / (held + 0.5));
  }

  function sweep(): void {
    const numbers = new Int32Array(state.documents).fill(-1);
    let kept = 0;
    for (let doc = 0; doc < state.documents; doc += 1) {
      if (state.rows[doc] === -1) continue;
      numbers[doc] = kept;
      state.rows[kept] = state.rows[doc]!;
      state.lengths[kept] = state.lengths[doc]!;
      documentOf.set(state.rows[kept]!, kept);
      kept += 1;
    }
    if (kept === state.documents) return;
    state.documents = kept;
    for (const postings of state.postings) renumber(postings, numbers);
  }
}

function emptyState(): LexicalState {
  return {
    terms: new Map(),
    postings: [],
    rows: new Int32Array(1024),
    lengths: new Uint32Array(1024),
    documents: 0,
  };
}

function grown<T extends Int32Array | Uint32Array>(array: T, make: new (length: number) => T): T {
  const larger = new make(array.length * 2);
  larger.set(array);
  return larger;
}
