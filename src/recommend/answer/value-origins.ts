import { readValues } from "./name-evidence.js";
import type { LogicalLine } from "./source-lines.js";

/** How lines of code create the value of a name. */
export interface ValueOrigin {
  /** The calls that the name's value comes from, such as `=read_csv`. */
  readonly calls: readonly string[];
  /** Whether the name is the variable of a loop or comprehension. */
  readonly isLooped: boolean;
}

/** Finds the names that the lines assign before they use them. An earlier value of such a name is overwritten. */
export function findValueOrigins(lines: readonly LogicalLine[]): Map<string, ValueOrigin> {
  const made = new Map<string, ValueOrigin>();
  const seen = new Set<string>();
  for (const line of lines) {
    const values = readValues(line);
    const looped = findLooped(line);
    const { tokens, roles } = line;
    const isUsed = (name: string) =>
      tokens.some(({ text }, at) => text === name && roles[at] === "free" && !values.has(at));
    if (values.size > 0 || looped.size > 0)
      for (let at = 0; at < tokens.length; at += 1) {
        const { text } = tokens[at]!;
        if (roles[at] !== "free" || seen.has(text) || made.has(text)) continue;
        const calls = values.get(at);
        if (looped.has(text)) made.set(text, { calls: [], isLooped: true });
        else if (calls !== undefined && !isUsed(text)) made.set(text, { calls, isLooped: false });
      }
    for (let at = 0; at < tokens.length; at += 1) if (roles[at] === "free") seen.add(tokens[at]!.text);
  }
  return made;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The names between `for` and `in`. */
function findLooped({ tokens, roles }: LogicalLine): ReadonlySet<string> {
  const first = tokens.findIndex(({ text }) => text === "for");
  if (first === -1) return NO_NAMES;
  const looped = new Set<string>();
  let isTarget = false;
  for (let at = first; at < tokens.length; at += 1) {
    const { text } = tokens[at]!;
    if (text === "for") isTarget = true;
    else if (text === "in") isTarget = false;
    else if (isTarget && roles[at] === "free") looped.add(text);
  }
  return looped;
}
