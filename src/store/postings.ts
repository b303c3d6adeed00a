/** The documents that hold one word, ascending, with how often each holds it (at most 255). Grows at its end. */
export interface Postings {
  docs: Uint32Array;
  counts: Uint8Array;
  length: number;
  /** The largest count. */
  most: number;
}

export const MOST_COUNT = 255;

export function createPostings(): Postings {
  return { docs: new Uint32Array(2), counts: new Uint8Array(2), length: 0, most: 0 };
}

export function append(postings: Postings, doc: number, count: number): void {
  const { length } = postings;
  if (length === postings.docs.length) grow(postings, length * 2);
  const held = Math.min(count, MOST_COUNT);
  postings.docs[length] = doc;
  postings.counts[length] = held;
  postings.length += 1;
  if (held > postings.most) postings.most = held;
}

function grow(postings: Postings, size: number): void {
  const docs = new Uint32Array(size);
  const counts = new Uint8Array(size);
  docs.set(postings.docs.subarray(0, postings.length));
  counts.set(postings.counts.subarray(0, postings.length));
  postings.docs = docs;
  postings.counts = counts;
}
