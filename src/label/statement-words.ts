import type { Facts } from "./facts.js";
import { depthChange, type Statement } from "./statement-kind.js";

/** What prints: its arguments are shown as if they stood alone. */
const PRINTERS: ReadonlySet<string> = new Set(["print", "display"]);
const SHOWN: ReadonlySet<string> = new Set(["call", "attribute", "subscript", "expression"]);

/** Whether a statement shows what one of these attributes or methods gives: `df.shape`, `print(df.head())`. */
export function showsWord({ statements }: Facts, words: ReadonlySet<string>): boolean {
  return statements.some((statement) => SHOWN.has(statement.kind) && hasWord(statement, words));
}

/** Whether one of these methods makes what is assigned: `df = df.dropna()`, not `x = f(df.dropna())`. */
export function assignsWord({ statements }: Facts, words: ReadonlySet<string>): boolean {
  return statements.some((statement) => statement.kind.startsWith("assign") && hasWord(statement, words));
}

function hasWord({ tokens, value }: Statement, words: ReadonlySet<string>): boolean {
  const prints = PRINTERS.has(tokens[value]?.text ?? "") && tokens[value + 1]?.text === "(";
  let depth = prints ? -1 : 0;
  for (let at = value; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === "operator") depth += depthChange(text);
    else if (depth === 0 && kind === "name" && tokens[at - 1]?.text === "." && words.has(text)) return true;
  }
  return false;
}
