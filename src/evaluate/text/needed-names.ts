import { freeNames } from "../../python/free-names.js";
import { tokenize } from "../../python/tokenize.js";

/** Words after which a name is made, not used. */
const MAKES = new Set(["import", "as", "def", "class", "for", "global"]);

/**
 * The names that a cell uses before it makes them: what must exist for it to run. By the order in the text; a name that
 * is imported, defined, looped over or assigned first is the cell's own.
 */
export function neededNames(code: string): Set<string> {
  const tokens = tokenize(code).filter(({ kind }) => kind !== "comment");
  const at = new Map(tokens.map((token, index) => [token.start, index]));
  const seen = new Set<string>();
  const needed = new Set<string>();
  for (const { text, start } of freeNames(tokens)) {
    if (seen.has(text)) continue;
    seen.add(text);
    const index = at.get(start) ?? 0;
    const makes = MAKES.has(tokens[index - 1]?.text ?? "") || isAssigned(tokens, index);
    if (!makes) needed.add(text);
  }
  return needed;
}

/** Whether an assignment follows: at once, or behind further names of a tuple. */
function isAssigned(tokens: readonly { readonly kind: string; readonly text: string }[], index: number): boolean {
  let at = index + 1;
  while (tokens[at]?.text === "," && tokens[at + 1]?.kind === "name") at += 2;
  return tokens[at]?.text === "=";
}
