import { type BestRows, createBestRows, createBestTies, type ScoredRow, type Ties } from "./best-rows.js";
import type { Postings } from "./postings.js";
import type { Segment } from "./segment.js";
import { type Softness, type TermWindows, WINDOW } from "./windows.js";

/** A word of a query. A document that holds it `count` times gets gain * count / (count + softness). */
export interface Term {
  readonly gain: number;
  /** How many documents hold it. */
  readonly postings: number;
  /** Where it is among the documents of the segment; null where none of them holds it. */
  readonly windows: TermWindows | null;
  /** Among those behind it. */
  readonly later: readonly Postings[];
}

/** What a search knows of the documents. */
export interface Documents extends Softness {
  readonly count: number;
  /** How many of them the segment holds, the first ones, and the softness of its windows. */
  readonly segment: Pick<Segment, "documents" | "docs" | "counts"> & { readonly softness: Softness };
  readonly lengths: Uint32Array;
  /** The row of a document, or -1 where it must not be found. Asked once per document that is good enough. */
  rowOf(doc: number): number;
}

/** Sums of numbers in another order may differ by this share. */
const ROUNDING = 1e-9;
/** Reading postings one after another is this many times faster than looking one up. */
const LOOKUP_COST = 8;

/** Finds the best documents of a few terms; keeps its working memory from search to search. */
export function createTermSearch() {
  const scores = new Float64Array(WINDOW);
  const found = new Uint32Array(WINDOW);

  /**
   * The k best by BM25, best first, as far as `ties` asks for them; ties go to the smaller row. Exact, by MaxScore (Turtle and
   * Flood, 1995) with the bounds of blocks of documents (Dimopoulos, Nepomnyachiy and Suel, 2013): window by window, the most
   * promising first, the terms are read in ascending order of what their postings cost for what they can give. Once the further
   * terms together cannot lift a document among the k best, only the documents found so far are looked up in them.
   */
  return (unsorted: readonly Term[], documents: Documents, k: number, ties?: Ties): ScoredRow[] => {
    const terms = [...unsorted].sort((a, b) => b.gain / b.postings - a.gain / a.postings);
    const best = ties === undefined ? createBestRows(k) : createBestTies(k, ties);
    searchBehind(terms, documents, best);
    try {
      searchSegment(terms, documents, best);
    } catch (error) {
      scores.fill(0);
      throw error;
    }
    return best.sorted();
  };

  // One function with loops over plain arrays: it is where a search spends its time.
  function searchSegment(all: readonly Term[], documents: Documents, best: BestRows): void {
    const { lengths, base, perWord, segment, rowOf } = documents;
    const { docs, counts } = segment;
    const terms = all.filter(({ windows }) => windows !== null);
    const windows = terms.map((term) => term.windows!);
    const gains = Float64Array.from(terms, ({ gain }) => gain);
    const units = unitsOf(gains, documents);
    const bounds = sumBounds(units, windows, Math.ceil(segment.documents / WINDOW));
    const order = Uint32Array.from(bounds, (_, window) => window).sort((a, b) => bounds[b]! - bounds[a]!);
    /** The terms that stand in a window, and what each of them and those behind it can give together there. */
    const active = new Uint32Array(terms.length);
    const rest = new Float64Array(terms.length + 1);
    for (const window of order) {
      let least = best.worst * (1 - ROUNDING);
      if (bounds[window] === 0 || bounds[window]! < least) return;
      const first = window * WINDOW;
      const last = Math.min(first + WINDOW, segment.documents);
      let present = 0;
      for (let term = 0; term < windows.length; term += 1)
        if (windows[term]!.most[window] !== 0) active[present++] = term;
      rest[present] = 0;
      for (let at = present - 1; at >= 0; at -= 1)
        rest[at] = rest[at + 1]! + units[active[at]!]! * windows[active[at]!]!.most[window]!;
      let size = 0;
      let next = 0;
      for (; next < present && rest[next]! >= least; next += 1) {
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
      // Reading a short list is less work than looking many documents up in it.
      for (; next < present; next += 1) {
        let kept = 0;
        for (let at = 0; at < size; at += 1) {
          const doc = found[at]!;
          if (scores[doc - first]! + rest[next]! < least) scores[doc - first] = 0;
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
        for (; looked < present && score + rest[looked]! >= least; looked += 1) {
          const { dense, starts } = windows[active[looked]!]!;
          const count = dense === null ? countOf(doc, docs, counts, starts[window]!, starts[window + 1]!) : dense[doc]!;
          if (count > 0) score += (gains[active[looked]!]! * count) / (count + base + perWord * lengths[doc]!);
        }
        if (looked < present || score < least) continue;
        const row = rowOf(doc);
        if (row === -1) continue;
        best.offer(row, score);
        least = best.worst * (1 - ROUNDING);
      }
    }
  }
}

/** How often a document holds a word, among its postings from `start` to `end`. */
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

/** What one 255th of each gain is; more where a window's bound was made with documents that counted as longer than they do now. */
function unitsOf(gains: Float64Array, { perWord, segment }: Documents): Float64Array {
  const slack = perWord < segment.softness.perWord ? segment.softness.perWord / perWord : 1;
  return gains.map((gain) => (gain * slack) / 255);
}

/** By window, what all terms together can give one of its documents. */
function sumBounds(units: Float64Array, windows: readonly TermWindows[], count: number): Float64Array {
  const bounds = new Float64Array(count);
  for (const [at, { most }] of windows.entries()) {
    const unit = units[at]!;
    for (let window = 0; window < count; window += 1) bounds[window]! += unit * most[window]!;
  }
  return bounds;
}

/** The documents behind the segment are few: all of them are scored. */
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
