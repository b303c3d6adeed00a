import { tokenize } from "./tokenize.js";

const PLAIN_STRING = /^[rRuU]?(["'])(.*)\1$/su;

/**
 * The names of columns that a cell reads: strings by themselves that something is indexed with, `df["age"]` or
 * `df[["age", "city"]]`. What it assigns to first is its own.
 */
export function neededColumns(code: string): Set<string> {
  const tokens = tokenize(code).filter(({ kind }) => kind !== "comment" && kind !== "newline");
  const seen = new Set<string>();
  const needed = new Set<string>();
  /** For each open bracket, whether strings in it name columns. */
  const open: boolean[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    const before = tokens[at - 1];
    if (text === "[") {
      const isIndex = before?.kind === "name" || before?.text === "]" || before?.text === ")";
      open.push(isIndex || (open.at(-1) === true && before?.text === "["));
    } else if (text === "(" || text === "{") open.push(false);
    else if (text === "]" || text === ")" || text === "}") open.pop();
    const name = kind === "string" && open.at(-1) === true ? PLAIN_STRING.exec(text)?.[2] : undefined;
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    const isMade = tokens[at + 1]?.text === "]" && tokens[at + 2]?.text === "=";
    if (!isMade) needed.add(name);
  }
  return needed;
}
