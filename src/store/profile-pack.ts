import { type CellProfile, MAX_PROFILED_CHARACTERS, MAX_PROFILED_WORDS } from "../python/profile.js";
import { checksum } from "./stored-bytes.js";

/** Changes with the layout and the content of a profile; older bytes are rebuilt. */
const VERSION = 2;
/** The earlier version, without the starts of statements. */
const VERSION_WITHOUT_STARTS = 1;
/** Version, checksum, comments, length, words, distinct words, lines, calls, remarks. */
const HEADER = 9;

/** Packs a profile into bytes. The distinct words are stored once; the word sequence refers to them by number. */
export function packProfile(profile: CellProfile): Uint8Array {
  const { words, fixed, lines, shapes, ends, calls, comments, remarks, length, starts } = profile;
  const distinct = [...new Set(words)];
  const numbers = new Map(distinct.map((word, number) => [word, number]));
  const wide = distinct.length > 256;
  const integers = HEADER + distinct.length + 3 * lines.length + calls.length + remarks.length;
  const flagged = 4 * integers + words.length * (wide ? 2 : 1) + Math.ceil(words.length / 8);
  const bytes = new Uint8Array(flagged + (starts?.length ?? 0));
  const header = [
    starts === null ? VERSION_WITHOUT_STARTS : VERSION,
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
  if (starts !== null) bytes.set(starts, flagged);
  // The checksum is computed while its own field is 0.
  numbered[1] = checksum(bytes);
  return bytes;
}

/** Whether the bytes are an undamaged profile of a supported version. */
export function isPackedProfile(packed: Uint8Array): boolean {
  if (packed.length < 4 * HEADER) return false;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const version = view.getInt32(0, true);
  if (version !== VERSION && version !== VERSION_WITHOUT_STARTS) return false;
  const sum = view.getInt32(4, true);
  let hash = 0x811c9dc5;
  // As in `packProfile`, the checksum field counts as 0.
  for (let at = 0; at < packed.length; at += 1) {
    hash = Math.imul(hash ^ (at >= 4 && at < 8 ? 0 : packed[at]!), 0x01000193);
  }
  return sum === (hash | 0);
}

/** The offsets of the statement starts in packed bytes; null if they are unknown. */
export function findStarts(packed: Uint8Array): { readonly from: number; readonly to: number } | null {
  if (integerAt(packed, 0) !== VERSION) return null;
  const words = integerAt(packed, 4);
  const distinct = integerAt(packed, 5);
  const lists = distinct + 3 * integerAt(packed, 6) + integerAt(packed, 7) + integerAt(packed, 8);
  const listed = 4 * (HEADER + lists);
  return { from: listed + words * (distinct > 256 ? 2 : 1) + Math.ceil(words / 8), to: packed.length };
}

/** Whether the cell has exactly these line hashes. */
export function hasLines(packed: Uint8Array, lines: Int32Array): boolean {
  if (integerAt(packed, 6) !== lines.length) return false;
  const from = HEADER + integerAt(packed, 5);
  for (let at = 0; at < lines.length; at += 1) if (integerAt(packed, from + at) !== lines[at]) return false;
  return true;
}

/**
 * Whether the cell may contain all of these word hashes. Always true for a cell whose profile does not cover its end.
 */
export function mayHaveWords(packed: Uint8Array, hashes: readonly number[]): boolean {
  if (integerAt(packed, 3) > MAX_PROFILED_CHARACTERS || integerAt(packed, 4) >= MAX_PROFILED_WORDS) return true;
  const end = HEADER + integerAt(packed, 5);
  for (const hash of hashes) {
    let at = HEADER;
    while (at < end && integerAt(packed, at) !== hash) at += 1;
    if (at === end) return false;
  }
  return true;
}

/** The integer number `at` of packed bytes, which need not be aligned. Hundreds of profiles are checked per answer. */
function integerAt(packed: Uint8Array, at: number): number {
  const from = 4 * at;
  return packed[from]! | (packed[from + 1]! << 8) | (packed[from + 2]! << 16) | (packed[from + 3]! << 24);
}

/** Packed profiles in one buffer, each aligned to 4 bytes. */
export interface PackedProfiles {
  readonly count: number;
  readonly integers: Int32Array;
  /** The memory of `integers` as bytes. */
  readonly bytes: Uint8Array;
  /** Byte offsets of the start and end of each profile. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The maximum number of distinct words of a profile. */
  readonly maxDistinct: number;
}

/** Copies profiles into one buffer, over which the features are computed. */
export function joinProfiles(packed: readonly Uint8Array[]): PackedProfiles {
  const starts = new Int32Array(packed.length);
  const ends = new Int32Array(packed.length);
  let length = 0;
  for (let at = 0; at < packed.length; at += 1) {
    starts[at] = length;
    ends[at] = length + packed[at]!.length;
    length = (ends[at]! + 3) & ~3;
  }
  const bytes = new Uint8Array(length);
  const integers = new Int32Array(bytes.buffer);
  let maxDistinct = 0;
  for (let at = 0; at < packed.length; at += 1) {
    bytes.set(packed[at]!, starts[at]!);
    maxDistinct = Math.max(maxDistinct, integers[(starts[at]! >> 2) + 5]!);
  }
  return { count: packed.length, integers, bytes, starts, ends, maxDistinct };
}

/**
 * One of many packed profiles. The view moves from one to the next, so that nothing is allocated per cell. A list is
 * given by the position of its first entry and its length.
 */
export interface ProfileView {
  readonly integers: Int32Array;
  readonly bytes: Uint8Array;
  comments: number;
  /** Characters of the raw cell. */
  length: number;
  wordCount: number;
  /** Distinct words; positions in `integers`. */
  distinct: number;
  distinctCount: number;
  /** Hash, shape and number of words up to the end of each line; positions in `integers`. */
  lines: number;
  shapes: number;
  ends: number;
  lineCount: number;
  calls: number;
  callCount: number;
  remarks: number;
  remarkCount: number;
  /** The word sequence as numbers of distinct words, one or two bytes each; positions in `bytes`. */
  words: number;
  width: 1 | 2;
  /** The starts of statements, for `createStartCheck`; from this position in `bytes` to `startsEnd`. -1 if unknown. */
  starts: number;
  startsEnd: number;
}

/** Creates a view; call `moveTo` before reading. */
export function createProfileView({ integers, bytes }: PackedProfiles): ProfileView {
  return {
    integers,
    bytes,
    comments: 0,
    length: 0,
    wordCount: 0,
    distinct: 0,
    distinctCount: 0,
    lines: 0,
    shapes: 0,
    ends: 0,
    lineCount: 0,
    calls: 0,
    callCount: 0,
    remarks: 0,
    remarkCount: 0,
    words: 0,
    width: 1,
    starts: -1,
    startsEnd: -1,
  };
}

/** Moves the view to another profile. */
export function moveTo(view: ProfileView, { integers, starts, ends }: PackedProfiles, cell: number): void {
  const from = starts[cell]! >> 2;
  const version = integers[from]!;
  view.comments = integers[from + 2]!;
  view.length = integers[from + 3]!;
  view.wordCount = integers[from + 4]!;
  view.distinctCount = integers[from + 5]!;
  view.lineCount = integers[from + 6]!;
  view.callCount = integers[from + 7]!;
  view.remarkCount = integers[from + 8]!;
  view.distinct = from + HEADER;
  view.lines = view.distinct + view.distinctCount;
  view.shapes = view.lines + view.lineCount;
  view.ends = view.shapes + view.lineCount;
  view.calls = view.ends + view.lineCount;
  view.remarks = view.calls + view.callCount;
  view.words = 4 * (view.remarks + view.remarkCount);
  view.width = view.distinctCount > 256 ? 2 : 1;
  const flagged = view.words + view.width * view.wordCount + Math.ceil(view.wordCount / 8);
  view.starts = version === VERSION ? flagged : -1;
  view.startsEnd = version === VERSION ? ends[cell]! : -1;
}

/** Unpacks a profile; null for damaged or other bytes. */
export function unpackProfile(packed: Uint8Array): CellProfile | null {
  if (packed.length < 4 * HEADER) return null;
  // A copy, because integers need an aligned start; slicing a Buffer does not copy.
  const bytes = new Uint8Array(packed);
  const header = new Int32Array(bytes.buffer, 0, HEADER);
  const [version, sum, comments, length, wordCount, distinctCount, lineCount, callCount, remarkCount] =
    header as unknown as [number, number, number, number, number, number, number, number, number];
  header[1] = 0;
  if (version !== VERSION && version !== VERSION_WITHOUT_STARTS) return null;
  if (sum !== (checksum(bytes) | 0)) return null;
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
  const starts = version === VERSION ? bytes.subarray(flags + Math.ceil(wordCount / 8)) : null;
  return { words, fixed, lines, shapes, ends, calls, comments, remarks, length, starts };
}
