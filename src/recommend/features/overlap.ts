import { type CellProfile, hashPair } from "../../python/profile.js";
import type { Part, QueryProfile } from "./query-profile.js";

/** How a query and a cell overlap. A share is weighted by how telling the words are; 0 where the query has none. */
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
/** Words of a typical cell. */
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
