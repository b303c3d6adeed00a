import { freeNames } from "../../python/name-roles.js";
import { neededNames } from "../../python/needed-names.js";
import { tokenize } from "../../python/tokenize.js";

/** The code above the cursor: the text before it in the cell, and the cells above. */
export interface CodeAbove {
  readonly prefix: string;
  readonly preceding: readonly string[];
}

const STAR_IMPORT = /^[ \t]*from[^\n]+import[ \t]+\*/m;
const cachedNames = new Map<string, ReadonlySet<string>>();
/** Maximum number of cells with cached names. Names are cached, because many cases share the cells above. */
const MAX_CACHED_CELLS = 2_000;

/**
 * Whether the text uses an undefined name, which would raise a NameError. Null after `from x import *`, because then
 * any name may exist.
 */
export function hasUndefinedName({ prefix, preceding }: CodeAbove, text: string): boolean | null {
  const above = [...preceding, prefix];
  if (above.some((code) => STAR_IMPORT.test(code))) return null;
  const known = new Set(above.flatMap((code) => [...namesIn(code)]));
  const fullCode = prefix + text;
  const used = freeNames(tokenize(fullCode)).filter(({ end }) => end > prefix.length);
  if (used.length === 0) return false;
  const needed = neededNames(fullCode);
  return used.some((name) => needed.has(name.text) && !known.has(name.text));
}

function namesIn(code: string): ReadonlySet<string> {
  const found = cachedNames.get(code) ?? new Set(freeNames(tokenize(code)).map(({ text }) => text));
  if (cachedNames.size >= MAX_CACHED_CELLS) cachedNames.clear();
  cachedNames.set(code, found);
  return found;
}
