import type { LexicalState } from "./lexical-index.js";
import { isDense, type Segment, startsOf } from "./segment.js";

/** Sizes of the arrays, needed for reading the slices. */
export interface LexicalParts {
  readonly documents: number;
  readonly terms: number;
  readonly wordBytes: number;
  readonly [part: string]: number;
}

/** Bytes per slice; nothing larger is written or read at once. */
const SLICE = 4 << 20;

/**
 * A compacted index as slices of bytes: the words as JSON, then the numbers in the byte order of this machine's typed
 * arrays, little-endian.
 */
export function packLexical({ terms, segment, rows, lengths }: LexicalState): {
  parts: LexicalParts;
  slices: () => Generator<Uint8Array>;
} {
  const words = Buffer.from(JSON.stringify([...terms.keys()].slice(0, segment.documentFrequencies.length)));
  const { documents } = segment;
  const parts = { documents, terms: segment.documentFrequencies.length, wordBytes: words.length };
  const arrays = [
    words,
    // The arrays are copied, because they may change while the slices are written.
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

/** A compacted index read from a file, in shared buffers. */
interface LexicalContent {
  /** The words as JSON. */
  readonly words: Uint8Array;
  readonly segment: Segment;
  readonly rows: Int32Array;
  readonly lengths: Uint32Array;
}

/** Reads the output of `packLexical`; null if it is truncated. `read` fills an array with the next bytes. */
export async function readLexical(
  { documents, terms, wordBytes }: LexicalParts,
  read: (into: Uint8Array) => boolean,
  giveWay: () => Promise<void>,
): Promise<LexicalContent | null> {
  const fill = async (array: Uint8Array | Uint32Array | Int32Array): Promise<boolean> => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at += SLICE) {
      if (!read(bytes.subarray(at, at + SLICE))) return false;
      await giveWay();
    }
    return true;
  };
  const words = new Uint8Array(new SharedArrayBuffer(wordBytes));
  const rows = new Int32Array(new SharedArrayBuffer(4 * documents));
  const lengths = new Uint32Array(new SharedArrayBuffer(4 * documents));
  const documentFrequencies = new Uint32Array(new SharedArrayBuffer(4 * terms));
  for (const array of [words, rows, lengths, documentFrequencies]) if (!(await fill(array))) return null;
  const starts = new Uint32Array(new SharedArrayBuffer(4 * (terms + 1)));
  starts.set(startsOf(documentFrequencies, documents));
  const docs = new Uint32Array(new SharedArrayBuffer(4 * starts[terms]!));
  const counts = new Uint8Array(new SharedArrayBuffer(starts[terms]!));
  const dense = new Map<number, Uint8Array>();
  for (let term = 0; term < terms; term += 1) {
    if (isDense(documentFrequencies[term]!, documents))
      dense.set(term, new Uint8Array(new SharedArrayBuffer(documents)));
  }
  for (const array of [docs, counts, ...dense.values()]) if (!(await fill(array))) return null;
  const segment: Segment = { documents, documentFrequencies, starts, docs, counts, dense };
  return { words, segment, rows, lengths };
}

/** The state of an index; null if its words are damaged. Arrays that an index modifies are copied. */
export function toLexicalState({ words: text, segment, rows, lengths }: LexicalContent): LexicalState | null {
  const words = parseWords(text);
  if (words?.length !== segment.documentFrequencies.length) return null;
  const terms = new Map(words.map((word, term) => [word, term]));
  return { terms, segment, rows: rows.slice(), lengths: lengths.slice(), documents: segment.documents };
}

function parseWords(text: Uint8Array): string[] | null {
  try {
    return JSON.parse(Buffer.from(text).toString()) as string[];
  } catch {
    return null;
  }
}
