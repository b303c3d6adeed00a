import { readValues } from "./name-evidence.js";
import type { LogicalLine } from "./source-lines.js";

/** How lines of code create the value of a name. */
export interface Making {
  /** The calls that its value comes from, such as `=read_csv`. */
  readonly calls: readonly string[];
  /** Whether the name is the variable of a loop or comprehension. */
  readonly isLooped: boolean;
}

/** Finds the names that the lines assign before they use them. An earlier value of such a name is overwritten. */
export function findMade(lines: readonly LogicalLine[]): Map<string, Making> {
  const made = new Map<string, Making>();
  const seen = new Set<string>();
  for (const line of lines) {
    const values = readValues(line);
    const looped = findLooped(line);
    const names = line.tokens.flatMap(({ text }, at) => (line.roles[at] === "free" ? [{ text, at }] : []));
    const used = new Set(names.flatMap(({ text, at }) => (values.has(at) ? [] : text)));
    for (const { text, at } of names) {
      if (seen.has(text) || made.has(text)) continue;
      const calls = values.get(at);
      if (looped.has(text)) made.set(text, { calls: [], isLooped: true });
      else if (calls !== undefined && !used.has(text)) made.set(text, { calls, isLooped: false });
    }
    for (const { text } of names) seen.add(text);
  }
  return made;
}

/** The names between `for` and `in`. */
function findLooped({ tokens, roles }: LogicalLine): Set<string> {
  const looped = new Set<string>();
  let isTarget = false;
  for (const [at, { text }] of tokens.entries()) {
    if (text === "for") isTarget = true;
    else if (text === "in") isTarget = false;
    else if (isTarget && roles[at] === "free") looped.add(text);
  }
  return looped;
}
