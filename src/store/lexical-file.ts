import type { LexicalState } from "./lexical-index.js";
import { isDense, type Segment, startsOf } from "./segment.js";

/** Sizes that are needed to read the slices. */
export interface LexicalParts {
  readonly documents: number;
  readonly terms: number;
  readonly wordBytes: number;
  readonly [part: string]: number;
}

/** Bytes of one slice: nothing large is written or read at once. */
const SLICE = 4 << 20;

/** A compacted index as slices of bytes: the words as JSON, then the numbers, little-endian as typed arrays are here. */
export function packLexical({ terms, segment, rows, lengths }: LexicalState): {
  parts: LexicalParts;
  slices: () => Generator<Uint8Array>;
} {
  const words = Buffer.from(JSON.stringify([...terms.keys()].slice(0, segment.documentFrequencies.length)));
  const { documents } = segment;
  const parts = { documents, terms: segment.documentFrequencies.length, wordBytes: words.length };
  const arrays = [
    words,
    // Copies, because the originals may change while the slices are written.
    rows.slice(0, documents),
    lengths.slice(0, documents),
    segment.documentFrequencies,
    segment.docs,
    segment.counts,
    ...segment.dense.values(),
  ];
  return {
    parts,
    *slices() {
      for (const { buffer, byteOffset, byteLength } of arrays) {
        for (let at = 0; at < byteLength; at += SLICE) {
          yield new Uint8Array(buffer, byteOffset + at, Math.min(SLICE, byteLength - at));
        }
      }
    },
  };
}

/** Reads what `packLexical` wrote; null if there is less of it. `read` fills an array with the next bytes. */
export async function unpackLexical(
  { documents, terms, wordBytes }: LexicalParts,
  read: (into: Uint8Array) => boolean,
  giveWay: () => Promise<void>,
): Promise<LexicalState | null> {
  const fill = async (array: Uint8Array | Uint32Array | Int32Array): Promise<boolean> => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at += SLICE) {
      if (!read(bytes.subarray(at, at + SLICE))) return false;
      await giveWay();
    }
    return true;
  };
  const text = Buffer.alloc(wordBytes);
  const rows = new Int32Array(documents);
  const lengths = new Uint32Array(documents);
  const documentFrequencies = new Uint32Array(terms);
  for (const array of [text, rows, lengths, documentFrequencies]) if (!(await fill(array))) return null;
  const words = parseWords(text);
  if (words?.length !== terms) return null;
  const starts = startsOf(documentFrequencies, documents);
  const docs = new Uint32Array(starts[terms]!);
  const counts = new Uint8Array(starts[terms]!);
  const dense = new Map<number, Uint8Array>();
  for (let term = 0; term < terms; term += 1) {
    if (isDense(documentFrequencies[term]!, documents)) dense.set(term, new Uint8Array(documents));
  }
  for (const array of [docs, counts, ...dense.values()]) if (!(await fill(array))) return null;
  const segment: Segment = { documents, documentFrequencies, starts, docs, counts, dense };
  return { terms: new Map(words.map((word, term) => [word, term])), segment, rows, lengths, documents };
}

function parseWords(text: Buffer): string[] | null {
  try {
    return JSON.parse(text.toString()) as string[];
  } catch {
    return null;
  }
}
