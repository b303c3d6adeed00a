/** The documents that hold one word, in the order they came, with how often each holds it (at most 255). */
export interface Postings {
  docs: Uint32Array;
  counts: Uint8Array;
  length: number;
}

export function createPostings(): Postings {
  return { docs: new Uint32Array(2), counts: new Uint8Array(2), length: 0 };
}

export function append(postings: Postings, doc: number, count: number): void {
  const { length } = postings;
  if (length === postings.docs.length) grow(postings, length * 2);
  postings.docs[length] = doc;
  postings.counts[length] = Math.min(count, 255);
  postings.length += 1;
}

/** Renumbers the documents; those that get -1 go. */
export function renumber(postings: Postings, numbers: Int32Array): void {
  let kept = 0;
  for (let at = 0; at < postings.length; at += 1) {
    const number = numbers[postings.docs[at]!]!;
    if (number === -1) continue;
    postings.docs[kept] = number;
    postings.counts[kept] = postings.counts[at]!;
    kept += 1;
  }
  postings.length = kept;
  if (kept * 4 < postings.docs.length) grow(postings, Math.max(2, kept));
}

function grow(postings: Postings, size: number): void {
  const docs = new Uint32Array(size);
  const counts = new Uint8Array(size);
  docs.set(postings.docs.subarray(0, postings.length));
  counts.set(postings.counts.subarray(0, postings.length));
  postings.docs = docs;
  postings.counts = counts;
}
