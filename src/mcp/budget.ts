import { integer } from "../ask/fields.js";
import { type CellToShow, type ShownCell, showCell } from "./shown-cell.js";

/** Characters per token of an answer as JSON: code with its ids has fewer than prose. */
const PER_TOKEN = 2.6;
/** The first hit is shown however little there is. */
const FIRST_CHARACTERS = 1_000;

/** The field of a request that bounds an answer. */
export const tokensField = integer(200, 50_000)
  .default(2_000)
  .describe("About how many tokens the answer may have; long cells are cut, and what does not fit is counted.");

export interface ShownCells {
  readonly cells: ShownCell[];
  /** Hits that did not fit. */
  readonly leftOut: number;
}

/** Shares the tokens among the hits, best first; what one does not need is for those behind it. */
export function fitCells(hits: readonly CellToShow[], tokens: number): ShownCells {
  const cells: ShownCell[] = [];
  let left = tokens * PER_TOKEN;
  for (const [at, hit] of hits.entries()) {
    const share = left / (hits.length - at);
    const shown = showCell(hit, at === 0 ? Math.max(share, Math.min(left, FIRST_CHARACTERS)) : share);
    if (shown === null) continue;
    cells.push(shown);
    left -= JSON.stringify(shown).length;
  }
  return { cells, leftOut: hits.length - cells.length };
}
