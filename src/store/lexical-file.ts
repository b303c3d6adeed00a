import type { LexicalState } from "./lexical-index.js";

/** Changes with the layout below or with the splitter, so that an old file is rebuilt instead of misread. */
const VERSION = "celrec-lexical-1";

/** A line of JSON (version, words, lengths of the parts), then the numbers, all little-endian as typed arrays are here. */
export function packLexical({ terms, postings, rows, lengths, documents }: LexicalState): Uint8Array {
  const total = postings.reduce((sum, { length }) => sum + length, 0);
  const words = [...terms.keys()];
  const header = Buffer.from(`${JSON.stringify({ version: VERSION, documents, total, words })}\n`);
  const start = header.length + ((4 - (header.length % 4)) % 4);
  const bytes = new Uint8Array(start + 4 * (2 * documents + words.length + total) + total);
  bytes.set(header);
  const numbers = new Uint32Array(bytes.buffer, start, 2 * documents + words.length + total);
  numbers.set(new Uint32Array(rows.buffer, rows.byteOffset, documents));
  numbers.set(lengths.subarray(0, documents), documents);
  let at = 2 * documents + words.length;
  let count = start + numbers.byteLength;
  for (const [term, { docs, counts, length }] of postings.entries()) {
    numbers[2 * documents + term] = length;
    numbers.set(docs.subarray(0, length), at);
    bytes.set(counts.subarray(0, length), count);
    at += length;
    count += length;
  }
  return bytes;
}

/** Null for anything that `packLexical` of this version did not write in full. */
export function unpackLexical(bytes: Uint8Array): LexicalState | null {
  const header = readHeader(bytes);
  if (header === null) return null;
  const { documents, total, words, start } = header;
  const size = 2 * documents + words.length + total;
  if (bytes.length !== start + 4 * size + total) return null;
  // Copied, because the bytes of a file need not start where numbers may.
  const numbers = new Uint32Array(bytes.slice(start, start + 4 * size).buffer);
  const lengthAt = 2 * documents;
  let at = lengthAt + words.length;
  let count = start + 4 * size;
  const postings = words.map((_, term) => {
    const length = numbers[lengthAt + term]!;
    const part = { docs: numbers.slice(at, at + length), counts: bytes.slice(count, count + length), length };
    at += length;
    count += length;
    return part.length === 0 ? { docs: new Uint32Array(2), counts: new Uint8Array(2), length } : part;
  });
  const capacity = Math.max(1024, documents);
  const rows = new Int32Array(capacity);
  const lengths = new Uint32Array(capacity);
  rows.set(numbers.subarray(0, documents));
  lengths.set(numbers.subarray(documents, lengthAt));
  return { terms: new Map(words.map((word, term) => [word, term])), postings, rows, lengths, documents };
}

function readHeader(bytes: Uint8Array) {
  const end = bytes.indexOf(10);
  if (end === -1) return null;
  try {
    const header = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8"));
    if (header.version !== VERSION) return null;
    const start = end + 1 + ((4 - ((end + 1) % 4)) % 4);
    return { ...(header as { documents: number; total: number; words: string[] }), start };
  } catch {
    return null;
  }
}
