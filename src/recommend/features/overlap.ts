import { type CellProfile, hashPair } from "../../python/profile.js";
import { createProfileView, moveTo, type PackedProfiles, type ProfileView } from "../../store/profile-pack.js";
import type { Part, QueryProfile } from "./query-profile.js";

/** How a query and a cell overlap. Shares are weighted by IDF; 0 if the query has no such words. */
export interface Overlap {
  /** Shares of the query's words found in the cell. */
  readonly share: Readonly<Record<Part, number>>;
  /** BM25 of the cell for the words of the query. */
  readonly bm25: Readonly<Record<"code" | "before" | "markdown", number>>;
  /** Share of the words of the code found near the cell's start. */
  readonly early: number;
  /** Share of the query's pairs of adjacent words that are also adjacent in the cell. */
  readonly pairs: number;
}

export const NO_OVERLAP: Overlap = {
  share: { code: 0, fixed: 0, last: 0, before: 0, markdown: 0, remarks: 0 },
  bm25: { code: 0, before: 0, markdown: 0 },
  early: 0,
  pairs: 0,
};

const K1 = 1.2;
const B = 0.4;
/** Number of words of a typical cell. */
const AVERAGE = 80;

/**
 * Creates a function that measures how many words a cell shares with the query. Its buffers are allocated once per query,
 * and the object that it returns is reused for the next cell. It also writes to `slotsOf`, for each distinct word of the
 * cell, the position of the word in the query's table, or -1.
 */
export function createOverlapMeasure(query: QueryProfile, slotsOf: Int16Array): (cell: ProfileView) => Overlap {
  const { parts, words: table, pairs, pairWeights } = query;
  const reach = Math.max(24, 2 * query.code.words.length);
  const counts = new Uint16Array(table.size);
  const slots = new Uint16Array(table.size);
  const seenIn = new Uint32Array(pairs.size);
  let turn = 0;
  const overlap = {
    bm25: { code: 0, before: 0, markdown: 0 },
    share: { code: 0, fixed: 0, last: 0, before: 0, markdown: 0, remarks: 0 },
    early: 0,
    pairs: 0,
  };

  return (cell) => {
    const { integers, bytes, distinct, words, wordCount, width } = cell;
    for (let at = 0; at < cell.distinctCount; at += 1) slotsOf[at] = table.find(integers[distinct + at]!);
    let found = 0;
    turn += 1;
    let early = 0;
    let neighbours = 0;
    let before = -1;
    let wordBefore = 0;
    for (let at = 0; at < wordCount; at += 1) {
      const word = width === 1 ? bytes[words + at]! : bytes[words + 2 * at]! | (bytes[words + 2 * at + 1]! << 8);
      const slot = slotsOf[word]!;
      if (slot !== -1) {
        if (counts[slot] === 0) {
          slots[found++] = slot;
          if (at < reach) early += parts.code.weights[slot]!;
        }
        counts[slot]! += 1;
        // The table has every word of the code. So a pair counts only if both of its words are in the table.
        if (before !== -1) neighbours += weighPair(integers[distinct + wordBefore]!, integers[distinct + word]!);
      }
      before = slot;
      wordBefore = word;
    }
    const softness = K1 * (1 - B + (B * wordCount) / AVERAGE);
    const { bm25, share } = overlap;
    bm25.code = score("code", found, softness);
    bm25.before = score("before", found, softness);
    bm25.markdown = score("markdown", found, softness);
    overlap.early = parts.code.total === 0 ? 0 : early / parts.code.total;
    overlap.pairs = pairWeights.total === 0 ? 0 : neighbours / pairWeights.total;
    share.code = shareOf("code", found);
    share.fixed = shareOf("fixed", found);
    share.last = shareOf("last", found);
    share.before = shareOf("before", found);
    share.markdown = shareOf("markdown", found);
    share.remarks = parts.remarks.total === 0 ? 0 : shareOf("remarks", addRemarks(cell, found));
    counts.fill(0);
    return overlap;
  };

  /** Adds words of the query's comments that occur in the cell's comments to those that occur in its code. */
  function addRemarks({ integers, remarks, remarkCount }: ProfileView, inCode: number): number {
    let found = inCode;
    for (let at = 0; at < remarkCount; at += 1) {
      const slot = table.find(integers[remarks + at]!);
      if (slot === -1 || counts[slot]! > 0) continue;
      counts[slot] = 1;
      slots[found++] = slot;
    }
    return found;
  }

  /** The weight of a pair; a pair counts only once per cell. */
  function weighPair(left: number, right: number): number {
    const slot = pairs.find(hashPair(left, right));
    if (slot === -1 || seenIn[slot] === turn) return 0;
    seenIn[slot] = turn;
    return pairWeights.weights[slot]!;
  }

  function shareOf(part: Part, found: number): number {
    const { weights, total } = parts[part];
    if (total === 0) return 0;
    let sum = 0;
    for (let at = 0; at < found; at += 1) sum += weights[slots[at]!]!;
    return sum / total;
  }

  function score(part: Part, found: number, saturation: number): number {
    const { weights, total } = parts[part];
    let sum = 0;
    if (total === 0) return sum;
    for (let at = 0; at < found; at += 1) {
      const count = counts[slots[at]!]!;
      sum += (weights[slots[at]!]! * count * (K1 + 1)) / (count + saturation);
    }
    return sum;
  }
}

/** The part of a cell after the last typed line: approximately its insertion. */
export interface Remainder {
  readonly words: number;
  /** Share of the cell's words that are in this part. */
  readonly share: number;
  /** Share of these words that also occur in the typed code or the cells before. */
  readonly known: number;
}

export const EMPTY_REMAINDER: Remainder = { words: 0, share: 0, known: 0 };

/** Maximum number of typed lines searched in the cell, starting with the last. */
const MAX_LINES = 6;

/** `slotsOf` is filled by the overlap measure of the same cell. */
export function createRemainderMeasure(
  { code, parts }: QueryProfile,
  slotsOf: Int16Array,
): (cell: ProfileView) => Remainder {
  const isKnown = Uint8Array.from(parts.code.weights, (weight, slot) =>
    Number(weight > 0 || parts.before.weights[slot]! > 0),
  );
  const behind = { words: 0, share: 0, known: 0 };
  return (cell) => {
    const { integers, bytes, words, width, wordCount } = cell;
    const line = findTyped(code, cell);
    const from = line === -1 ? 0 : integers[cell.ends + line]!;
    const count = wordCount - from;
    if (count === 0) return EMPTY_REMAINDER;
    let known = 0;
    for (let at = from; at < wordCount; at += 1) {
      const word = width === 1 ? bytes[words + at]! : bytes[words + 2 * at]! | (bytes[words + 2 * at + 1]! << 8);
      const slot = slotsOf[word]!;
      if (slot !== -1) known += isKnown[slot]!;
    }
    behind.words = count;
    behind.share = count / wordCount;
    behind.known = known / count;
    return behind;
  };
}

/**
 * The line of the cell that matches the last typed line exactly, else with other variable names, else one that matches
 * an earlier typed line.
 */
function findTyped({ lines, shapes }: CellProfile, cell: ProfileView): number {
  if (lines.length === 0) return -1;
  const found = indexIn(cell.integers, cell.lines, cell.lineCount, lines.at(-1)!);
  if (found !== -1) return found;
  for (let back = 1; back <= Math.min(MAX_LINES, shapes.length); back += 1) {
    const alike = indexIn(cell.integers, cell.shapes, cell.lineCount, shapes.at(-back)!);
    if (alike !== -1) return alike;
  }
  return -1;
}

/** The index of a value in the list of `count` integers at `start`, searched from entry `from`; -1 if it is missing. */
export function indexIn(integers: Int32Array, start: number, count: number, value: number, from = 0): number {
  for (let at = from; at < count; at += 1) if (integers[start + at] === value) return at;
  return -1;
}

/** The calls of a candidate compared with those of the query, of the cells before and of the other candidates. */
export interface CallOverlap {
  /** Share of the candidate's calls that also occur in the query or a cell before it. */
  readonly known: number;
  /**
   * The share of the calls new to the query that is probably unwanted: a cell before makes them already, and
   * notebooks rarely repeat them.
   */
  readonly done: number;
  /** Number of calls that the query does not make yet. */
  readonly added: number;
  /**
   * The share of all calls that the candidates would add which this candidate and at least one other candidate would
   * add.
   */
  readonly shared: number;
  /**
   * For each call that this candidate would add, the share of the other candidates that also make it; averaged over
   * these calls.
   */
  readonly common: number;
}

export const NO_CALLS: CallOverlap = { known: 0, done: 0, added: 0, shared: 0, common: 0 };

/** Compares the calls of a query's candidates. A call that many candidates make is likely to come next. */
export function createCallMeasure(query: QueryProfile, cells: PackedProfiles): (cell: ProfileView) => CallOverlap {
  const typed = new Set(query.code.calls);
  const votes = new Map<number, number>();
  let total = 0;
  const each = createProfileView(cells);
  for (let at = 0; at < cells.count; at += 1) {
    moveTo(each, cells, at);
    for (let place = each.calls; place < each.calls + each.callCount; place += 1) {
      const call = each.integers[place]!;
      if (typed.has(call)) continue;
      votes.set(call, (votes.get(call) ?? 0) + 1);
      total += 1;
    }
  }
  const overlap = { known: 0, done: 0, added: 0, shared: 0, common: 0 };
  return ({ integers, calls, callCount }) => {
    let known = 0;
    let added = 0;
    let done = 0;
    let agreeing = 0;
    for (let place = calls; place < calls + callCount; place += 1) {
      const call = integers[place]!;
      const isTyped = typed.has(call);
      const isBefore = query.callsBefore.has(call);
      if (isTyped || isBefore) known += 1;
      if (isTyped) continue;
      added += 1;
      if (isBefore) done += query.isOnce(call);
      agreeing += votes.get(call)! - 1;
    }
    overlap.known = callCount === 0 ? 0 : known / callCount;
    overlap.done = added === 0 ? 0 : done / added;
    overlap.added = added;
    overlap.shared = agreeing / Math.max(1, total);
    overlap.common = added === 0 ? 0 : agreeing / added / cells.count;
    return overlap;
  };
}
