import type { CursorState } from "./cursor-state.js";
import { arePaired, CELL_CLASS, type ClassPairs, classOfOperator, LINE_CLASS, WRAP_CLASS } from "./token-classes.js";

const SEMICOLON = classOfOperator(";");
const PARTNER: ReadonlyMap<number, string> = new Map(
  (
    [
      [")", "("],
      ["]", "["],
      ["}", "{"],
    ] as const
  ).map(([close, open]) => [classOfOperator(close), open]),
);

/**
 * Whether a token of this class can stand after the state. Its class must have been seen after the last one, and brackets must
 * match; the innermost `reserved` of them are left to the text after the cursor, which closes them.
 */
export function canFollow(state: CursorState, own: number, pairs: ClassPairs, reserved: number): boolean {
  if (own === WRAP_CLASS) return state.open.length > 0 && !state.isWrapped;
  if (!arePaired(pairs, state.lastClass, own)) return false;
  const partner = PARTNER.get(own);
  if (partner !== undefined) return state.open.length > reserved && state.open.at(-1) === partner;
  return state.open.length === 0 || (own !== LINE_CLASS && own !== CELL_CLASS && own !== SEMICOLON);
}
