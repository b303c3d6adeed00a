import { normalizeSource } from "../notebook/extract.js";
import { filledLines } from "../python/strip.js";

/**
 * What somebody typing the seed would ask, line by line: its first 1, 2, ... n lines. Blank lines are dropped, comments count.
 * @example linePrefixes("a = 1\n\nb = 2") // ["a = 1", "a = 1\nb = 2"]
 */
export function linePrefixes(source: string): string[] {
  const lines = filledLines(normalizeSource(source));
  return lines.map((_, at) => lines.slice(0, at + 1).join("\n"));
}
