import type { Token } from "./lex.js";

const OPENERS = "([{";
const CLOSERS = ")]}";
/** Names that may be followed by an operand: Python 2's statements and the soft keywords. */
const STATEMENT_NAMES = new Set(["print", "exec", "match", "case", "type"]);
/** Tokens that never start a line of code, not even a continuation line. */
const NEVER_FIRST = new Set(["=", ":", ",", ";", "+=", "-=", "*=", "/=", ":="]);
/** Operators that may start a statement; closing brackets end one that began on a line before. */
const MAY_START = new Set(["(", "[", "{", ")", "]", "}", "-", "+", "~", "*", "**", "@", ".", "...", "\\"]);

/** Whether each line of a text could be Python, complete or not. */
export function looksLikePython(tokens: readonly Token[]): boolean {
  let depth = 0;
  let continued = false;
  return linesOf(tokens).every((line) => {
    const first = line[0]!;
    const starts = depth > 0 || continued || first.kind !== "operator" || MAY_START.has(first.text);
    for (const { kind, text } of line) {
      if (kind !== "operator") continue;
      if (OPENERS.includes(text)) depth += 1;
      else if (CLOSERS.includes(text)) depth = Math.max(0, depth - 1);
    }
    continued = line.at(-1)!.text === "\\";
    return starts && !isBrokenLine(line) && line.every(({ kind }) => kind !== "other");
  });
}

/** Whether the tokens of a line cannot be Python: two adjacent operands, or an impossible first token. */
export function isBrokenLine(line: readonly Token[]): boolean {
  const first = line[0]!;
  if (first.kind === "operator" && NEVER_FIRST.has(first.text)) return true;
  let before: Token | undefined;
  for (const [place, token] of line.entries()) {
    if (before !== undefined && cannotBeAdjacent(before, token, place)) return true;
    before = token;
  }
  return false;
}

/** Whether these two tokens are never adjacent in Python. */
function cannotBeAdjacent(before: Token, token: Token, place: number): boolean {
  if (token.kind === "operator") {
    if (token.text === "=") return before.kind === "number" || before.kind === "string";
    // At the very start of a line, a call of a call's result (`)` and an opening bracket) only occurs in reversed text.
    return place === 1 && OPENERS.includes(token.text) && CLOSERS.includes(before.text);
  }
  if (!isOperand(token)) return false;
  if (before.kind === "operator") return CLOSERS.includes(before.text);
  if (before.kind === "string" && token.kind === "string") return false;
  return isOperand(before) && !(place === 1 && STATEMENT_NAMES.has(before.text));
}

function isOperand({ kind, text }: Token): boolean {
  if (kind === "keyword") return text === "None" || text === "True" || text === "False";
  return kind === "name" || kind === "number" || kind === "string";
}

function linesOf(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "newline") lines.push([]);
    else if (token.kind !== "comment") lines.at(-1)!.push(token);
  }
  return lines.filter((line) => line.length > 0);
}
