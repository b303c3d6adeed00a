import { lex } from "./lex.js";
import { scanString } from "./strings.js";

const PARTNER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Whether all strings and brackets of the code are closed, each by its own kind, and no bracket lies deeper than `deepest`. */
export function isClosed(code: string, deepest: number): boolean {
  const open: string[] = [];
  for (const { kind, text, start } of lex(code, 0, false)) {
    if (kind === "string" && !scanString(code, start)!.closed) return false;
    if (kind !== "operator") continue;
    if (text === "(" || text === "[" || text === "{") open.push(text);
    else if (text in PARTNER && open.pop() !== PARTNER[text]) return false;
    if (open.length > deepest) return false;
  }
  return open.length === 0;
}
