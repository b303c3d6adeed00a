import { type CellProfile, hashPair } from "../../python/profile.js";
import type { Part, QueryProfile } from "./query-profile.js";

/** How a query and a cell overlap. A share is weighted by how telling the words are; 0 if the query has none. */
export interface Overlap {
  /** Shares of the query's words found in the cell. */
  readonly share: Readonly<Record<Part, number>>;
  /** BM25 of the cell for the words of the query. */
  readonly bm25: Readonly<Record<"code" | "before" | "markdown", number>>;
  /** Share of the words of the code found near the cell's start. */
  readonly early: number;
  /** Share of the neighbouring words that are neighbours in the cell too. */
  readonly pairs: number;
}

const K1 = 1.2;
const B = 0.4;
/** Number of words of a typical cell. */
const AVERAGE = 80;

/** Measures cells against one query, with one working memory for all of them: there are a hundred cells to each query. */
export function createOverlapMeasure(query: QueryProfile): (cell: CellProfile) => Overlap {
  const { parts, words: table, pairs, pairWeights } = query;
  const reach = Math.max(24, 2 * query.code.words.length);
  const counts = new Uint16Array(table.size);
  const slots = new Uint16Array(table.size);
  const seenIn = new Uint32Array(pairs.size);
  let turn = 0;

  return (cell) => {
    const { words } = cell;
    let found = 0;
    turn += 1;
    let early = 0;
    let neighbours = 0;
    let before = -1;
    for (let at = 0; at < words.length; at += 1) {
      const slot = table.find(words[at]!);
      if (slot !== -1) {
        if (counts[slot] === 0) {
          slots[found++] = slot;
          if (at < reach) early += parts.code.weights[slot]!;
        }
        counts[slot]! += 1;
        // The table holds every word of the code, so only two that it holds can be a pair of the query.
        if (before !== -1) neighbours += weighPair(words[at - 1]!, words[at]!);
      }
      before = slot;
    }
    const softness = K1 * (1 - B + (B * words.length) / AVERAGE);
    const overlap = {
      bm25: {
        code: score("code", found, softness),
        before: score("before", found, softness),
        markdown: score("markdown", found, softness),
      },
      early: parts.code.total === 0 ? 0 : early / parts.code.total,
      pairs: pairWeights.total === 0 ? 0 : neighbours / pairWeights.total,
      share: {
        code: share("code", found),
        fixed: share("fixed", found),
        last: share("last", found),
        before: share("before", found),
        markdown: share("markdown", found),
        remarks: parts.remarks.total === 0 ? 0 : share("remarks", addRemarks(cell, found)),
      },
    };
    counts.fill(0);
    return overlap;
  };

  /** Words of the query's comments count wherever they stand in the cell, in its code or in its comments. */
  function addRemarks({ remarks }: CellProfile, inCode: number): number {
    let found = inCode;
    for (let at = 0; at < remarks.length; at += 1) {
      const slot = table.find(remarks[at]!);
      if (slot === -1 || counts[slot]! > 0) continue;
      counts[slot] = 1;
      slots[found++] = slot;
    }
    return found;
  }

  /** A pair counts once for each cell. */
  function weighPair(left: number, right: number): number {
    const slot = pairs.find(hashPair(left, right));
    if (slot === -1 || seenIn[slot] === turn) return 0;
    seenIn[slot] = turn;
    return pairWeights.weights[slot]!;
  }

  function share(part: Part, found: number): number {
    const { weights, total } = parts[part];
    if (total === 0) return 0;
    let sum = 0;
    for (let at = 0; at < found; at += 1) sum += weights[slots[at]!]!;
    return sum / total;
  }

  function score(part: Part, found: number, softness: number): number {
    const { weights, total } = parts[part];
    let sum = 0;
    if (total === 0) return sum;
    for (let at = 0; at < found; at += 1) {
      const count = counts[slots[at]!]!;
      sum += (weights[slots[at]!]! * count * (K1 + 1)) / (count + softness);
    }
    return sum;
  }
}

/** The part of a cell after the line that was typed last: roughly what it would insert. */
export interface Behind {
  readonly words: number;
  /** Share of the cell's words. */
  readonly share: number;
  /** Share of these words that the typed code or the cells before hold. */
  readonly known: number;
}

export const NOTHING_BEHIND: Behind = { words: 0, share: 0, known: 0 };

/** Typed lines, from the last on, that are looked for in the cell. */
const MAX_LINES = 6;

export function createBehindMeasure({ code, words, parts }: QueryProfile): (cell: CellProfile) => Behind {
  const isKnown = Uint8Array.from(parts.code.weights, (weight, slot) =>
    Number(weight > 0 || parts.before.weights[slot]! > 0),
  );
  return (cell) => {
    const line = findTyped(code, cell);
    const from = line === -1 ? 0 : cell.ends[line]!;
    const count = cell.words.length - from;
    if (count === 0) return NOTHING_BEHIND;
    let known = 0;
    for (let at = from; at < cell.words.length; at += 1) {
      const slot = words.find(cell.words[at]!);
      if (slot !== -1) known += isKnown[slot]!;
    }
    return { words: count, share: count / cell.words.length, known: known / count };
  };
}

/** The line of the cell that is typed last: as it is, else with other names, else one of the lines typed before it. */
function findTyped({ lines, shapes }: CellProfile, cell: CellProfile): number {
  if (lines.length === 0) return -1;
  const found = cell.lines.indexOf(lines.at(-1)!);
  if (found !== -1) return found;
  for (let back = 1; back <= Math.min(MAX_LINES, shapes.length); back += 1) {
    const alike = cell.shapes.indexOf(shapes.at(-back)!);
    if (alike !== -1) return alike;
  }
  return -1;
}

/** How the calls of a candidate stand to those of the query, of the cells before it and of the other candidates. */
export interface CallOverlap {
  /** Share of the candidate's calls that the query or a cell before it makes, too. */
  readonly known: number;
  /** Of the calls that the query does not make yet: the share that a cell before makes and that is rarely repeated. */
  readonly done: number;
  /** Calls that the query does not make yet. */
  readonly added: number;
  /** Of all that the candidates would add: the share that others would add and this one has, too. */
  readonly shared: number;
  /** The share of the candidates, without this one, that hold a call which it would add, on average. */
  readonly common: number;
}

export const NO_CALLS: CallOverlap = { known: 0, done: 0, added: 0, shared: 0, common: 0 };

/** Candidates of one query vote on what comes next: a call that many of them make is likely, whichever is shown. */
export function createCallMeasure(
  query: QueryProfile,
  cells: readonly CellProfile[],
): (cell: CellProfile) => CallOverlap {
  const typed = new Set(query.code.calls);
  const votes = new Map<number, number>();
  let total = 0;
  for (const { calls } of cells) {
    for (const call of calls) {
      if (typed.has(call)) continue;
      votes.set(call, (votes.get(call) ?? 0) + 1);
      total += 1;
    }
  }
  return ({ calls }) => {
    let known = 0;
    let added = 0;
    let done = 0;
    let agreeing = 0;
    for (const call of calls) {
      if (typed.has(call) || query.callsBefore.has(call)) known += 1;
      if (typed.has(call)) continue;
      added += 1;
      if (query.callsBefore.has(call)) done += query.isOnce(call);
      agreeing += votes.get(call)! - 1;
    }
    return {
      known: calls.length === 0 ? 0 : known / calls.length,
      done: added === 0 ? 0 : done / added,
      added,
      shared: agreeing / Math.max(1, total),
      common: added === 0 ? 0 : agreeing / added / cells.length,
    };
  };
}
