import type { Mutator } from "../src/evaluate/suite.js";
import { type Token, tokenize } from "../src/python/tokenize.js";
import { enclosingBrackets, rewriteTokens } from "./syntax/edits.js";

const STRING = /^([rRuU]?)('|")([^'"\\\n]+)\2$/;
/** Keyword arguments whose value names columns. */
const COLUMN_KEYWORD =
  /^(?:x|y|hue|by|on|left_on|right_on|columns?|subset|col|row|color|size|style|index|values|names)$/;

const otherColumn: Mutator = {
  name: "other-column",
  description: "Replaces every column by another one of the cell, or adds other_ to its name if there is only one.",
  kind: "hard-negative",
  apply: (code) => {
    const tokens = tokenize(code);
    const found = findColumns(tokens);
    const columns = [...new Set(found.values())];
    return rewriteTokens(
      code,
      ({ text }, at) => {
        const name = found.get(at);
        if (name === undefined) return null;
        const other = columns.length === 1 ? `other_${name}` : columns[(columns.indexOf(name) + 1) % columns.length]!;
        return text.replace(STRING, (_, prefix, quote) => prefix + quote + other + quote);
      },
      tokens,
    );
  },
};

export default otherColumn;

/** Column names by token index. */
function findColumns(all: readonly Token[]): Map<number, string> {
  const around = enclosingBrackets(all);
  const found = new Map<number, string>();
  for (const [at, { kind, text }] of all.entries()) {
    const name = kind === "string" ? STRING.exec(text)?.[3] : undefined;
    if (name !== undefined && isColumn(all, around, at)) found.set(at, name);
  }
  return found;
}

/** `df["a"]`, `df.loc[rows, "a"]`, `df[["a", "b"]]`, `hue="a"`, `on=["a"]`. */
function isColumn(tokens: readonly Token[], around: readonly number[], at: number): boolean {
  const bracket = around[at]!;
  if (tokens[bracket]?.text === "(") return isColumnKeyword(tokens, at - 1);
  if (tokens[bracket]?.text !== "[") return false;
  const isSubscript = (open: number) =>
    tokens[open]?.text === "[" && /^(?:[\w.]+|[)\]])$/.test(tokens[open - 1]?.text ?? "");
  return isSubscript(bracket) || isSubscript(around[bracket]!) || isColumnKeyword(tokens, bracket - 1);
}

function isColumnKeyword(tokens: readonly Token[], equals: number): boolean {
  return tokens[equals]?.text === "=" && COLUMN_KEYWORD.test(tokens[equals - 1]?.text ?? "");
}
