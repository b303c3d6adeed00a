import type { CellProfile } from "../python/profile.js";
import { checksum } from "./stored-bytes.js";

/** Changes with the layout, and with what a profile is made of: older bytes are rebuilt. */
const VERSION = 1;
/** Version, checksum, comments, length, words, distinct words, lines, calls, remarks. */
const HEADER = 9;

/**
 * A profile as bytes, to be stored beside its cell. A word that occurs in a cell twice is stored once, and the words as
 * their numbers among the distinct ones.
 */
export function packProfile(profile: CellProfile): Uint8Array {
  const { words, fixed, lines, shapes, ends, calls, comments, remarks, length } = profile;
  const distinct = [...new Set(words)];
  const numbers = new Map(distinct.map((word, number) => [word, number]));
  const wide = distinct.length > 256;
  const integers = HEADER + distinct.length + 3 * lines.length + calls.length + remarks.length;
  const bytes = new Uint8Array(4 * integers + words.length * (wide ? 2 : 1) + Math.ceil(words.length / 8));
  const header = [
    VERSION,
    0,
    comments,
    length,
    words.length,
    distinct.length,
    lines.length,
    calls.length,
    remarks.length,
  ];
  const numbered = new Int32Array(bytes.buffer, 0, integers);
  let at = 0;
  for (const part of [header, distinct, lines, shapes, ends, calls, remarks]) {
    numbered.set(part, at);
    at += part.length;
  }
  let byte = 4 * integers;
  for (const word of words) {
    const number = numbers.get(word)!;
    bytes[byte++] = number & 255;
    if (wide) bytes[byte++] = number >> 8;
  }
  for (const [place, stays] of fixed.entries()) if (stays === 1) bytes[byte + (place >> 3)]! |= 1 << (place & 7);
  // Computed with 0 in its own place.
  numbered[1] = checksum(bytes);
  return bytes;
}

/** Null for other or damaged bytes. */
export function unpackProfile(packed: Uint8Array): CellProfile | null {
  if (packed.length < 4 * HEADER) return null;
  // A copy, because integers need an aligned start; slicing a Buffer does not copy.
  const bytes = new Uint8Array(packed);
  const header = new Int32Array(bytes.buffer, 0, HEADER);
  const [version, sum, comments, length, wordCount, distinctCount, lineCount, callCount, remarkCount] =
    header as unknown as [number, number, number, number, number, number, number, number, number];
  header[1] = 0;
  if (version !== VERSION || sum !== (checksum(bytes) | 0)) return null;
  let from = 4 * HEADER;
  const next = (count: number) => {
    from += 4 * count;
    return new Int32Array(bytes.buffer, from - 4 * count, count);
  };
  const distinct = next(distinctCount);
  const [lines, shapes, ends] = [next(lineCount), next(lineCount), next(lineCount)];
  const [calls, remarks] = [next(callCount), next(remarkCount)];
  const width = distinctCount > 256 ? 2 : 1;
  const flags = from + width * wordCount;
  const words = new Int32Array(wordCount);
  const fixed = new Uint8Array(wordCount);
  for (let at = 0; at < wordCount; at += 1) {
    const place = from + width * at;
    words[at] = distinct[width === 1 ? bytes[place]! : bytes[place]! | (bytes[place + 1]! << 8)]!;
    fixed[at] = (bytes[flags + (at >> 3)]! >> (at & 7)) & 1;
  }
  return { words, fixed, lines, shapes, ends, calls, comments, remarks, length };
}
