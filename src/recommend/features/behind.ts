import type { CellProfile } from "../../python/profile.js";
import type { QueryProfile } from "./query-profile.js";

/** What a cell has behind the line that was typed last, which is about what it would insert. */
export interface Behind {
  readonly words: number;
  /** Share of the cell's words. */
  readonly share: number;
  /** Share of these words that the typed code or the cells before hold. */
  readonly known: number;
}

export const NOTHING_BEHIND: Behind = { words: 0, share: 0, known: 0 };

/** Typed lines, from the last on, that are looked for in the cell. */
const MOST_LINES = 6;

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
  for (let back = 1; back <= Math.min(MOST_LINES, shapes.length); back += 1) {
    const alike = cell.shapes.indexOf(shapes.at(-back)!);
    if (alike !== -1) return alike;
  }
  return -1;
}
