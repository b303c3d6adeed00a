import type { Postings } from "./postings.js";
import { isDense, type Segment, startsOf } from "./segment.js";

/** Terms and postings that are merged at one go, unless told. */
const MERGE_SLICE = 100_000;

/**
 * One segment of another and what came after it. `numbers` gives every document its new number, -1 where it goes; `terms` is
 * how many there are. Yields now and then, so that others get their turn.
 */
export function* mergeSegment(
  base: Segment,
  added: ReadonlyMap<number, Postings>,
  terms: number,
  numbers: Int32Array,
  documents: number,
  slice = MERGE_SLICE,
): Generator<void, Segment> {
  const held = new Uint32Array(terms);
  const most = new Uint8Array(terms);
  let done = 0;
  const isDue = (term: number) => {
    done += 1 + held[term]!;
    if (done < slice) return false;
    done = 0;
    return true;
  };
  for (let term = 0; term < terms; term += 1) {
    eachPosting(base, added, term, (doc, count) => {
      if (numbers[doc] === -1) return;
      held[term]! += 1;
      if (count > most[term]!) most[term] = count;
    });
    if (isDue(term)) yield;
  }
  const starts = startsOf(held, documents);
  const docs = new Uint32Array(starts[terms]!);
  const counts = new Uint8Array(starts[terms]!);
  const dense = new Map<number, Uint8Array>();
  for (let term = 0; term < terms; term += 1) {
    if (isDense(held[term]!, documents)) {
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
  return { documents, held, most, starts, docs, counts, dense };
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
  } else if (term < base.held.length) {
    for (let at = base.starts[term]!; at < base.starts[term + 1]!; at += 1) take(base.docs[at]!, base.counts[at]!);
  }
  const more = added.get(term);
  if (more !== undefined) for (let at = 0; at < more.length; at += 1) take(more.docs[at]!, more.counts[at]!);
}
