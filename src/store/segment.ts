/**
 * The postings of all words in a few large arrays, for the documents that existed when the segment was built. Most
 * words occur in only one document, so an object per word would need more memory than its postings.
 */
export interface Segment {
  readonly documents: number;
  /** The number of documents that contain each term. */
  readonly documentFrequencies: Uint32Array;
  /** The postings of term t are at starts[t] up to starts[t + 1]; a dense term has none. */
  readonly starts: Uint32Array;
  readonly docs: Uint32Array;
  readonly counts: Uint8Array;
  /** For each dense word, its count in each document. This needs less space than a list, and a lookup is one read. */
  readonly dense: ReadonlyMap<number, Uint8Array>;
}

/** A word is dense if a list of its documents (five bytes each) takes more space than one byte per document. */
const BYTES_PER_POSTING = 5;

export function isDense(frequency: number, documents: number): boolean {
  return frequency * BYTES_PER_POSTING > documents;
}

export function emptySegment(): Segment {
  return {
    documents: 0,
    documentFrequencies: new Uint32Array(0),
    starts: new Uint32Array(1),
    docs: new Uint32Array(0),
    counts: new Uint8Array(0),
    dense: new Map(),
  };
}

/** The start of each list, from the document frequencies. */
export function startsOf(documentFrequencies: Uint32Array, documents: number): Uint32Array {
  const starts = new Uint32Array(documentFrequencies.length + 1);
  for (let term = 0; term < documentFrequencies.length; term += 1) {
    starts[term + 1] =
      starts[term]! + (isDense(documentFrequencies[term]!, documents) ? 0 : documentFrequencies[term]!);
  }
  return starts;
}

/** The documents that contain one word, ascending, with its frequency in each (at most 255). Append-only. */
export interface Postings {
  docs: Uint32Array;
  counts: Uint8Array;
  length: number;
}

const MAX_COUNT = 255;

export function createPostings(): Postings {
  return { docs: new Uint32Array(2), counts: new Uint8Array(2), length: 0 };
}

export function append(postings: Postings, doc: number, count: number): void {
  const { length } = postings;
  if (length === postings.docs.length) grow(postings, length * 2);
  const frequency = Math.min(count, MAX_COUNT);
  postings.docs[length] = doc;
  postings.counts[length] = frequency;
  postings.length += 1;
}

function grow(postings: Postings, size: number): void {
  const docs = new Uint32Array(size);
  const counts = new Uint8Array(size);
  docs.set(postings.docs.subarray(0, postings.length));
  counts.set(postings.counts.subarray(0, postings.length));
  postings.docs = docs;
  postings.counts = counts;
}

/** Default number of terms and postings merged between two yields. */
const MERGE_SLICE = 100_000;

/**
 * Merges a segment and later postings. `numbers` maps every document to its new number, -1 if it is removed; `terms` is
 * their number. Yields regularly, so that other work can run.
 */
export function* mergeSegment(
  base: Segment,
  added: ReadonlyMap<number, Postings>,
  terms: number,
  numbers: Int32Array,
  documents: number,
  slice = MERGE_SLICE,
): Generator<void, Segment> {
  const documentFrequencies = new Uint32Array(terms);
  let done = 0;
  const isDue = (term: number) => {
    done += 1 + documentFrequencies[term]!;
    if (done < slice) return false;
    done = 0;
    return true;
  };
  for (let term = 0; term < terms; term += 1) {
    eachPosting(base, added, term, (doc) => {
      if (numbers[doc] !== -1) documentFrequencies[term]! += 1;
    });
    if (isDue(term)) yield;
  }
  const starts = startsOf(documentFrequencies, documents);
  const docs = new Uint32Array(starts[terms]!);
  const counts = new Uint8Array(starts[terms]!);
  const dense = new Map<number, Uint8Array>();
  for (let term = 0; term < terms; term += 1) {
    if (isDense(documentFrequencies[term]!, documents)) {
      const byDocument = new Uint8Array(documents);
      dense.set(term, byDocument);
      eachPosting(base, added, term, (doc, count) => {
        if (numbers[doc] !== -1) byDocument[numbers[doc]!] = count;
      });
    } else {
      let at = starts[term]!;
      eachPosting(base, added, term, (doc, count) => {
        if (numbers[doc] === -1) return;
        docs[at] = numbers[doc]!;
        counts[at++] = count;
      });
    }
    if (isDue(term)) yield;
  }
  return { documents, documentFrequencies, starts, docs, counts, dense };
}

function eachPosting(
  base: Segment,
  added: ReadonlyMap<number, Postings>,
  term: number,
  take: (doc: number, count: number) => void,
): void {
  const dense = base.dense.get(term);
  if (dense !== undefined) {
    for (let doc = 0; doc < dense.length; doc += 1) if (dense[doc] !== 0) take(doc, dense[doc]!);
  } else if (term < base.documentFrequencies.length) {
    for (let at = base.starts[term]!; at < base.starts[term + 1]!; at += 1) take(base.docs[at]!, base.counts[at]!);
  }
  const more = added.get(term);
  if (more !== undefined) for (let at = 0; at < more.length; at += 1) take(more.docs[at]!, more.counts[at]!);
}
