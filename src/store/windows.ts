import type { Segment } from "./segment.js";

/** Documents of one window: their scores fit into the processor's nearest memory. */
const WINDOW_BITS = 11;
export const WINDOW = 1 << WINDOW_BITS;
/** Words that more documents hold keep their windows from search to search; those of the others are quickly made. */
const KEPT_ABOVE = 1_024;

const NO_STARTS = new Uint32Array(0);

/** Where the documents that hold a word lie, window by window. */
export interface TermWindows {
  /** The most that the word gives a document of the window, in 255ths of its gain, rounded up; 0 where none holds it. */
  readonly most: Uint8Array;
  /** Where the postings of each window start, and the end of the last. */
  readonly starts: Uint32Array;
  /** Of a dense word, which has no postings: its count by document. */
  readonly dense: Uint8Array | null;
}

/** What a word with a gain of 1 gives a document: count / (count + base + perWord * the document's number of words). */
export interface Softness {
  readonly base: number;
  readonly perWord: number;
}

export interface SegmentWindows {
  readonly softness: Softness;
  of(term: number): TermWindows;
}

/** The windows of a segment's words. They hold for its own softness. */
export function createSegmentWindows(segment: Segment, lengths: Uint32Array, softness: Softness): SegmentWindows {
  const { base, perWord } = softness;
  const count = Math.ceil(segment.documents / WINDOW);
  const kept = new Map<number, TermWindows>();
  return {
    softness,
    of(term) {
      const known = kept.get(term);
      if (known !== undefined) return known;
      const dense = segment.dense.get(term);
      const windows = dense === undefined ? ofList(term) : ofDense(dense);
      if (segment.held[term]! > KEPT_ABOVE) kept.set(term, windows);
      return windows;
    },
  };

  function ofDense(counts: Uint8Array): TermWindows {
    const shares = new Float32Array(count);
    for (let doc = 0; doc < counts.length; doc += 1) if (counts[doc] !== 0) note(shares, doc, counts[doc]!);
    return { most: roundUp(shares), starts: NO_STARTS, dense: counts };
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
    return { most: roundUp(shares), starts, dense: null };
  }

  function note(shares: Float32Array, doc: number, held: number): void {
    const window = doc >>> WINDOW_BITS;
    const share = held / (held + base + perWord * lengths[doc]!);
    if (share > shares[window]!) shares[window] = share;
  }
}

function roundUp(shares: Float32Array): Uint8Array {
  const most = new Uint8Array(shares.length);
  for (let at = 0; at < most.length; at += 1) most[at] = Math.min(255, Math.ceil(255 * shares[at]! * (1 + 1e-6)));
  return most;
}
