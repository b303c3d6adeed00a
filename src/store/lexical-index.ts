import {
  type BestRows,
  createBestRows,
  createBestTies,
  createBothBest,
  type ScoredRow,
  type Ties,
} from "./best-rows.js";
import { createRowSlots } from "./row-slots.js";
import { append, createPostings, emptySegment, mergeSegment, type Postings, type Segment } from "./segment.js";
import { createSegmentWindows, createTermSearch, type SegmentWindows, type Term } from "./term-search.js";

interface LexicalQuery {
  /** The query words with their weights. */
  readonly words: ReadonlyMap<string, number>;
  readonly k: number;
  readonly ties?: Ties;
  /** Whether a row may be found; all by default. Called only for rows whose score is high enough. */
  readonly accepts?: (row: number) => boolean;
}

/** An in-memory index of the words of cells. The caller chooses the row numbers. */
export interface LexicalIndex {
  readonly size: number;
  /** Adds a row, or replaces it. */
  add(row: number, words: readonly string[]): void;
  /** Removes a row; does nothing if it does not exist. */
  remove(row: number): void;
  has(row: number): boolean;
  rows(): number[];
  /** At most k rows that contain any of the words, best BM25 first; ties go to the smaller row. Exact at any size. */
  search(query: LexicalQuery): ScoredRow[];
  /**
   * Like `search`, once for all rows and once for those that pass, in hardly more time than one search. All rows are
   * seldom wanted, so they are only sorted when asked for.
   */
  searchBoth(query: LexicalQuery, passes: (row: number) => boolean): { passing: ScoredRow[]; all: () => ScoredRow[] };
  /** BM25's log((N - n + .5) / (n + .5) + 1) for a word in n of N rows. */
  idf(word: string): number;
  clear(): void;
  /**
   * Rewrites everything compactly, without removed rows. Yields regularly; rows may be added, removed and searched in
   * between.
   */
  compact(): Generator<void, void>;
  /** Compacts if enough was added or removed. */
  tidy(): Generator<void, void>;
  /** The state after `compact`; valid until the next change. */
  readonly state: LexicalState;
}

export interface LexicalState {
  /** A term's number is its word's position in this list. */
  readonly terms: ReadonlyMap<string, number>;
  readonly segment: Segment;
  /** The row of each document (-1 if removed), and its number of words. */
  readonly rows: Int32Array;
  readonly lengths: Uint32Array;
  readonly documents: number;
}

/** BM25 constants: cells are short, so their length says little. */
const K1 = 1.2;
const B = 0.4;
/** Minimum number of removed documents for a compaction. */
const MAX_REMOVED = 5_000;
/** Minimum postings added since the last compaction for another one, as a number and as a share. */
const MAX_ADDED = 500_000;
const MAX_ADDED_SHARE = 0.2;

interface LexicalLimits {
  readonly maxRemoved?: number;
  readonly maxAdded?: number;
  readonly mergeSlice?: number;
}

/** `saved` is the `state` of an earlier index. */
export function createLexicalIndex(limits: LexicalLimits = {}, saved?: LexicalState): LexicalIndex {
  const { maxRemoved = MAX_REMOVED, maxAdded = MAX_ADDED } = limits;
  const terms = new Map(saved?.terms);
  let rows = saved?.rows ?? new Int32Array(1024);
  let lengths = saved?.lengths ?? new Uint32Array(1024);
  let documents = saved?.documents ?? 0;
  let segment = saved?.segment ?? emptySegment();
  /** Postings of documents that are not in the segment yet: those being merged, and later ones. */
  let merging: Map<number, Postings> | null = null;
  let added = new Map<number, Postings>();
  let addedPostings = 0;
  const documentOf = createRowSlots();
  let size = 0;
  let totalLength = 0;
  for (let doc = 0; doc < documents; doc += 1) if (rows[doc] !== -1) enter(doc);
  let counts = new Uint32Array(Math.max(1024, 2 * terms.size));
  const searchTerms = createTermSearch();
  /** Windows of the segment's words, computed on the first search. */
  let windows: { readonly of: Segment; readonly made: SegmentWindows } | null = null;

  const index: LexicalIndex = {
    get size() {
      return size;
    },
    has: (row) => documentOf.get(row) !== -1,
    rows: () => [...rows.subarray(0, documents)].filter((row) => row !== -1),
    add(row, words) {
      index.remove(row);
      const doc = nextDocument(row, words.length);
      for (const term of countTerms(words)) {
        const postings = added.get(term) ?? createPostings();
        if (postings.length === 0) added.set(term, postings);
        append(postings, doc, counts[term]!);
        counts[term] = 0;
        addedPostings += 1;
      }
      enter(doc);
    },
    remove(row) {
      const doc = documentOf.get(row);
      if (doc === -1) return;
      documentOf.delete(row);
      size -= 1;
      totalLength -= lengths[doc]!;
      rows[doc] = -1;
    },
    search({ words, k, ties, accepts = () => true }) {
      const best = keepBest(k, ties);
      find(words, best, accepts);
      return best.sorted();
    },
    searchBoth({ words, k, ties, accepts = () => true }, passes) {
      const passing = keepBest(k, ties);
      const all = keepBest(k, ties);
      find(words, createBothBest(all, passing, passes), accepts);
      return { passing: passing.sorted(), all: all.sorted };
    },
    idf: (word) => inverseFrequency(heldBy(terms.get(word) ?? -1)),
    clear() {
      terms.clear();
      segment = emptySegment();
      merging = null;
      added = new Map();
      addedPostings = documents = size = totalLength = 0;
      documentOf.clear();
    },
    *compact() {
      if (added.size === 0 && documents === size && segment.documents === documents) return;
      if (merging !== null) return;
      merging = added;
      added = new Map();
      addedPostings = 0;
      const before = documents;
      const { numbers, kept } = renumber(before);
      const termCount = terms.size;
      const source = merging;
      const merged = yield* mergeSegment(segment, source, termCount, numbers, kept, limits.mergeSlice);
      // The index was cleared meanwhile.
      if (merging !== source) return;
      segment = merged;
      merging = null;
      moveDocuments(before, numbers, kept);
    },
    *tidy() {
      const hasGrown = addedPostings > maxAdded && addedPostings > MAX_ADDED_SHARE * segment.docs.length;
      const hasShrunk = documents - size > maxRemoved && documents > 2 * size;
      if (hasGrown || hasShrunk) yield* index.compact();
    },
    get state() {
      return { terms, segment, rows, lengths, documents };
    },
  };
  return index;

  function find(words: ReadonlyMap<string, number>, best: BestRows, accepts: (row: number) => boolean): void {
    const perWord = (K1 * B * size) / Math.max(1, totalLength);
    const rowOf = (doc: number) => {
      const row = rows[doc]!;
      return row !== -1 && accepts(row) ? row : -1;
    };
    const base = K1 * (1 - B);
    if (windows?.of !== segment)
      windows = { of: segment, made: createSegmentWindows(segment, lengths, { base, perWord }) };
    const searched = { ...segment, saturation: windows.made.saturation };
    const all = { count: documents, segment: searched, lengths, base, perWord, rowOf };
    searchTerms(chooseTerms(words, windows.made), all, best);
  }

  function enter(doc: number): void {
    documentOf.set(rows[doc]!, doc);
    size += 1;
    totalLength += lengths[doc]!;
  }

  function nextDocument(row: number, length: number): number {
    if (documents === rows.length) {
      rows = grown(rows, Int32Array);
      lengths = grown(lengths, Uint32Array);
    }
    rows[documents] = row;
    lengths[documents] = length;
    documents += 1;
    return documents - 1;
  }

  /** The distinct terms of a cell, with their frequencies in `counts`. New words become terms. */
  function countTerms(words: readonly string[]): number[] {
    const found: number[] = [];
    for (const word of words) {
      let term = terms.get(word);
      if (term === undefined) {
        term = terms.size;
        terms.set(word, term);
        if (term === counts.length) counts = grown(counts, Uint32Array);
      }
      if (counts[term] === 0) found.push(term);
      counts[term]! += 1;
    }
    return found;
  }

  function chooseTerms(words: ReadonlyMap<string, number>, made: SegmentWindows): Term[] {
    const chosen: Term[] = [];
    for (const [word, weight] of words) {
      const term = terms.get(word) ?? -1;
      const postings = heldBy(term);
      if (postings === 0 || weight <= 0) continue;
      const gain = weight * inverseFrequency(postings) * (K1 + 1);
      const isInSegment = (segment.documentFrequencies[term] ?? 0) > 0;
      const later = [merging?.get(term), added.get(term)].filter((found) => found !== undefined);
      chosen.push({ gain, postings, windows: isInSegment ? made.of(term) : null, later });
    }
    return chosen;
  }

  function heldBy(term: number): number {
    return (
      (segment.documentFrequencies[term] ?? 0) + (merging?.get(term)?.length ?? 0) + (added.get(term)?.length ?? 0)
    );
  }

  /** Removed documents count until the next compaction, so `frequency` may exceed the number of rows. */
  function inverseFrequency(frequency: number): number {
    return Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5));
  }

  /** New numbers for the documents before `end`, -1 for those that were removed. */
  function renumber(end: number): { numbers: Int32Array; kept: number } {
    const numbers = new Int32Array(end).fill(-1);
    let kept = 0;
    for (let doc = 0; doc < end; doc += 1) if (rows[doc] !== -1) numbers[doc] = kept++;
    return { numbers, kept };
  }

  /** Renumbers the documents; documents added during the compaction come last. */
  function moveDocuments(before: number, numbers: Int32Array, kept: number): void {
    const shift = before - kept;
    for (let doc = 0; doc < documents; doc += 1) {
      const to = doc < before ? numbers[doc]! : doc - shift;
      if (to === -1) continue;
      rows[to] = rows[doc]!;
      lengths[to] = lengths[doc]!;
      if (rows[to] !== -1) documentOf.set(rows[to]!, to);
    }
    documents -= shift;
    for (const postings of added.values()) {
      for (let at = 0; at < postings.length; at += 1) postings.docs[at]! -= shift;
    }
  }
}

function keepBest(k: number, ties: Ties | undefined): BestRows {
  return ties === undefined ? createBestRows(k) : createBestTies(k, ties);
}

function grown<T extends Int32Array | Uint32Array>(array: T, make: new (length: number) => T): T {
  const larger = new make(Math.max(1024, array.length * 2));
  larger.set(array);
  return larger;
}
