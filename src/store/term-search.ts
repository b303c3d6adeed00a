import type { BestRows } from "./best-rows.js";
import type { Postings, Segment } from "./segment.js";

/** A word of a query. A document that contains it `count` times scores gain * count / (count + saturation). */
export interface Term {
  readonly gain: number;
  /** Number of documents that contain the word. */
  readonly postings: number;
  /** Its postings in the segment; null if no document of the segment contains it. */
  readonly windows: TermWindows | null;
  /** Its postings for documents after the segment. */
  readonly later: readonly Postings[];
}

/** The documents to search. */
export interface Documents extends Bm25Saturation {
  readonly count: number;
  /** The number of leading documents in the segment, and the BM25 saturation that its windows were computed with. */
  readonly segment: Pick<Segment, "documents" | "docs" | "counts"> & { readonly saturation: Bm25Saturation };
  readonly lengths: Uint32Array;
  /** The row of a document, or -1 if it is filtered out. Called once per document with a sufficient score. */
  rowOf(doc: number): number;
}

/** Maximum relative difference between sums of the same numbers in different order. */
const ROUNDING = 1e-9;
/** Reading postings sequentially is this many times faster than looking one up. */
const LOOKUP_COST = 8;

/** Finds the best documents for a few terms; reuses its buffers between searches. */
export function createTermSearch() {
  const scores = new Float64Array(WINDOW);
  const found = new Uint32Array(WINDOW);

  /**
   * Offers the documents that may be among the best by BM25. Exact, by MaxScore (Turtle and Flood, 1995) with the
   * bounds of blocks of documents (Dimopoulos, Nepomnyachiy and Suel, 2013): window by window, the most promising
   * first, the terms are read in ascending order of cost per possible gain. Once the further terms together cannot lift
   * a document among the k best, only the documents found so far are looked up in them.
   */
  return (unsorted: readonly Term[], documents: Documents, best: BestRows): void => {
    const terms = [...unsorted].sort((a, b) => b.gain / b.postings - a.gain / a.postings);
    searchBehind(terms, documents, best);
    try {
      searchSegment(terms, documents, best);
    } catch (error) {
      scores.fill(0);
      throw error;
    }
  };

  // One long function with loops over plain arrays, because a search spends its time here.
  function searchSegment(all: readonly Term[], documents: Documents, best: BestRows): void {
    const { lengths, base, perWord, segment, rowOf } = documents;
    const { docs, counts } = segment;
    const terms = all.filter(({ windows }) => windows !== null);
    const windows = terms.map((term) => term.windows!);
    const gains = Float64Array.from(terms, ({ gain }) => gain);
    const units = unitsOf(gains, documents);
    const bounds = sumBounds(units, windows, Math.ceil(segment.documents / WINDOW));
    const order = Uint32Array.from(bounds, (_, window) => window).sort((a, b) => bounds[b]! - bounds[a]!);
    /** The terms of a window, and the upper bound of the score of each term with all terms after it. */
    const active = new Uint32Array(terms.length);
    const rest = new Float64Array(terms.length + 1);
    for (const window of order) {
      let min = best.worst * (1 - ROUNDING);
      if (bounds[window] === 0 || bounds[window]! < min) return;
      const first = window * WINDOW;
      const last = Math.min(first + WINDOW, segment.documents);
      let present = 0;
      for (let term = 0; term < windows.length; term += 1)
        if (windows[term]!.max[window] !== 0) active[present++] = term;
      rest[present] = 0;
      for (let at = present - 1; at >= 0; at -= 1)
        rest[at] = rest[at + 1]! + units[active[at]!]! * windows[active[at]!]!.max[window]!;
      let size = 0;
      let next = 0;
      for (; next < present && rest[next]! >= min; next += 1) {
        const gain = gains[active[next]!]!;
        const { dense, starts } = windows[active[next]!]!;
        if (dense !== null) {
          for (let doc = first; doc < last; doc += 1) {
            const count = dense[doc]!;
            if (count === 0) continue;
            const score = scores[doc - first]!;
            if (score === 0) found[size++] = doc;
            scores[doc - first] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
          }
          continue;
        }
        const end = starts[window + 1]!;
        for (let at = starts[window]!; at < end; at += 1) {
          const doc = docs[at]!;
          const count = counts[at]!;
          const score = scores[doc - first]!;
          if (score === 0) found[size++] = doc;
          scores[doc - first] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
        }
      }
      // Reading a short list is cheaper than looking up many documents in it.
      for (; next < present; next += 1) {
        let kept = 0;
        for (let at = 0; at < size; at += 1) {
          const doc = found[at]!;
          if (scores[doc - first]! + rest[next]! < min) scores[doc - first] = 0;
          else found[kept++] = doc;
        }
        size = kept;
        const { dense, starts } = windows[active[next]!]!;
        if (dense !== null) break;
        const end = starts[window + 1]!;
        if (end - starts[window]! > LOOKUP_COST * size) break;
        const gain = gains[active[next]!]!;
        for (let at = starts[window]!; at < end; at += 1) {
          const doc = docs[at]!;
          const score = scores[doc - first]!;
          if (score === 0) continue;
          const count = counts[at]!;
          scores[doc - first] = score + (gain * count) / (count + base + perWord * lengths[doc]!);
        }
      }
      for (let at = 0; at < size; at += 1) {
        const doc = found[at]!;
        let score = scores[doc - first]!;
        scores[doc - first] = 0;
        let looked = next;
        for (; looked < present && score + rest[looked]! >= min; looked += 1) {
          const { dense, starts } = windows[active[looked]!]!;
          const count = dense === null ? countOf(doc, docs, counts, starts[window]!, starts[window + 1]!) : dense[doc]!;
          if (count > 0) score += (gains[active[looked]!]! * count) / (count + base + perWord * lengths[doc]!);
        }
        if (looked < present || score < min) continue;
        const row = rowOf(doc);
        if (row === -1) continue;
        best.offer(row, score);
        min = best.worst * (1 - ROUNDING);
      }
    }
  }
}

/** The frequency of a word in a document, from its postings between `start` and `end`. */
function countOf(doc: number, docs: Uint32Array, counts: Uint8Array, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < doc) low = middle + 1;
    else high = middle;
  }
  return low < end && docs[low] === doc ? counts[low]! : 0;
}

/** 1/255 of each gain; more if a window's bound was computed for another average document length. */
function unitsOf(gains: Float64Array, { perWord, segment }: Documents): Float64Array {
  const slack = perWord < segment.saturation.perWord ? segment.saturation.perWord / perWord : 1;
  return gains.map((gain) => (gain * slack) / 255);
}

/** For each window, the upper bound of a document's score over all terms. */
function sumBounds(units: Float64Array, windows: readonly TermWindows[], count: number): Float64Array {
  const bounds = new Float64Array(count);
  for (const [at, { max }] of windows.entries()) {
    const unit = units[at]!;
    for (let window = 0; window < count; window += 1) bounds[window]! += unit * max[window]!;
  }
  return bounds;
}

/** Scores all documents after the segment, which are few. */
function searchBehind(terms: readonly Term[], documents: Documents, best: BestRows): void {
  const { lengths, base, perWord, rowOf } = documents;
  const first = documents.segment.documents;
  if (documents.count === first) return;
  const scores = new Float64Array(documents.count - first);
  const found: number[] = [];
  for (const { gain, later } of terms) {
    for (const { docs, counts, length } of later) {
      for (let at = 0; at < length; at += 1) {
        const doc = docs[at]!;
        const score = scores[doc - first]!;
        if (score === 0) found.push(doc);
        scores[doc - first] = score + (gain * counts[at]!) / (counts[at]! + base + perWord * lengths[doc]!);
      }
    }
  }
  for (const doc of found) {
    const score = scores[doc - first]!;
    if (score < best.worst) continue;
    const row = rowOf(doc);
    if (row !== -1) best.offer(row, score);
  }
}

/** Documents per window; their scores fit into the L1 cache. */
const WINDOW_BITS = 11;
const WINDOW = 1 << WINDOW_BITS;
/** Windows of words in more documents than this are cached; those of rarer words are quick to compute. */
const KEPT_ABOVE = 1_024;

const NO_STARTS = new Uint32Array(0);

/** The positions of the documents that contain a word, window by window. */
interface TermWindows {
  /** Upper bound of the word's score in the window, in 255ths of its gain; 0 if no document contains it. */
  readonly max: Uint8Array;
  /** Start of each window's postings, and the end of the last. */
  readonly starts: Uint32Array;
  /** For a dense word, which has no postings: its count in each document. */
  readonly dense: Uint8Array | null;
}

/**
 * The score of a word with a gain of 1 in a document: count / (count + base + perWord * the document's number of
 * words).
 */
interface Bm25Saturation {
  readonly base: number;
  readonly perWord: number;
}

export interface SegmentWindows {
  readonly saturation: Bm25Saturation;
  of(term: number): TermWindows;
}

/** The windows of a segment's words, with bounds for one saturation. */
export function createSegmentWindows(
  segment: Segment,
  lengths: Uint32Array,
  saturation: Bm25Saturation,
): SegmentWindows {
  const { base, perWord } = saturation;
  const count = Math.ceil(segment.documents / WINDOW);
  const kept = new Map<number, TermWindows>();
  return {
    saturation,
    of(term) {
      const known = kept.get(term);
      if (known !== undefined) return known;
      const dense = segment.dense.get(term);
      const windows = dense === undefined ? ofList(term) : ofDense(dense);
      if (segment.documentFrequencies[term]! > KEPT_ABOVE) kept.set(term, windows);
      return windows;
    },
  };

  function ofDense(counts: Uint8Array): TermWindows {
    const shares = new Float32Array(count);
    for (let doc = 0; doc < counts.length; doc += 1) if (counts[doc] !== 0) note(shares, doc, counts[doc]!);
    return { max: roundUp(shares), starts: NO_STARTS, dense: counts };
  }

  function ofList(term: number): TermWindows {
    const shares = new Float32Array(count);
    const starts = new Uint32Array(count + 1);
    const end = segment.starts[term + 1]!;
    let window = 0;
    for (let at = segment.starts[term]!; at < end; at += 1) {
      const doc = segment.docs[at]!;
      note(shares, doc, segment.counts[at]!);
      for (const own = doc >>> WINDOW_BITS; window <= own; window += 1) starts[window] = at;
    }
    starts.fill(end, window);
    return { max: roundUp(shares), starts, dense: null };
  }

  function note(shares: Float32Array, doc: number, frequency: number): void {
    const window = doc >>> WINDOW_BITS;
    const share = frequency / (frequency + base + perWord * lengths[doc]!);
    if (share > shares[window]!) shares[window] = share;
  }
}

function roundUp(shares: Float32Array): Uint8Array {
  const max = new Uint8Array(shares.length);
  for (let at = 0; at < max.length; at += 1) max[at] = Math.min(255, Math.ceil(255 * shares[at]! * (1 + 1e-6)));
  return max;
}
