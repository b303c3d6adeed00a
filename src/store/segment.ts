/**
 * The postings of all words in a few large arrays, for documents that were there when it was made. An object per word would
 * take more memory than its postings: most words are held by one document.
 */
export interface Segment {
  readonly documents: number;
  /** By term: how many documents hold it, and the largest count among them. */
  readonly held: Uint32Array;
  readonly most: Uint8Array;
  /** The postings of term t are at starts[t] up to starts[t + 1]; a dense term has none there. */
  readonly starts: Uint32Array;
  readonly docs: Uint32Array;
  readonly counts: Uint8Array;
  /** The counts of common words by document: that takes less room than a list, and every count is found at once. */
  readonly dense: ReadonlyMap<number, Uint8Array>;
}

/** A word is dense where a list of its documents (five bytes each) takes more room than a byte for every document. */
const BYTES_PER_POSTING = 5;

export function isDense(held: number, documents: number): boolean {
  return held * BYTES_PER_POSTING > documents;
}

export function emptySegment(): Segment {
  return {
    documents: 0,
    held: new Uint32Array(0),
    most: new Uint8Array(0),
    starts: new Uint32Array(1),
    docs: new Uint32Array(0),
    counts: new Uint8Array(0),
    dense: new Map(),
  };
}

/** Where each list starts, from how many documents hold each term. */
export function startsOf(held: Uint32Array, documents: number): Uint32Array {
  const starts = new Uint32Array(held.length + 1);
  for (let term = 0; term < held.length; term += 1) {
    starts[term + 1] = starts[term]! + (isDense(held[term]!, documents) ? 0 : held[term]!);
  }
  return starts;
}
