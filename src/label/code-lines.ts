import type { Token } from "../python/tokenize.js";

/** A physical line that reads as Python: its tokens, and the column of the first one. */
export interface CodeLine {
  readonly tokens: readonly Token[];
  readonly indent: number;
}

const OPENERS = "([{";
const CLOSERS = ")]}";
/** Names that may stand before an operand without an operator: Python 2's statements and the soft keywords. */
const STATEMENT_NAMES = new Set(["print", "exec", "match", "case", "type"]);
/** What no line of code starts with, not even the second line of a call. */
const NEVER_FIRST = new Set(["=", ":", ",", ";", "+=", "-=", "*=", "/=", ":="]);

/**
 * The lines of the code that could be Python. Prose, shell commands, scrambled text and half-merged lines are left out
 * one by one: what they seem to call means nothing, and their brackets would swallow the lines after them.
 */
export function readLines(code: string, tokens: readonly Token[]): { lines: CodeLine[]; broken: Token[][] } {
  const lines: CodeLine[] = [];
  const broken: Token[][] = [];
  let line: Token[] = [];
  const close = () => {
    if (line.length > 0) {
      if (isBroken(line)) broken.push(line);
      else lines.push({ tokens: line, indent: columnOf(code, line[0]!.start) });
    }
    line = [];
  };
  for (const token of tokens) {
    if (token.kind === "newline") close();
    else if (token.kind !== "comment") line.push(token);
  }
  close();
  return { lines, broken };
}

function isBroken(line: readonly Token[]): boolean {
  const first = line[0]!;
  if (first.kind === "operator" && NEVER_FIRST.has(first.text)) return true;
  let before: Token | undefined;
  for (const [index, token] of line.entries()) {
    if (before !== undefined && clash(before, token, index)) return true;
    before = token;
  }
  return false;
}

/** Whether no Python has these two tokens side by side. */
function clash(before: Token, token: Token, index: number): boolean {
  if (token.kind === "operator") {
    if (token.text === "=") return before.kind === "number" || before.kind === "string";
    // A line of `)` and what follows it: a call of a call at the very start of a line is somebody's reversed typing.
    return index === 1 && OPENERS.includes(token.text) && CLOSERS.includes(before.text);
  }
  if (!isOperand(token)) return false;
  if (before.kind === "operator") return CLOSERS.includes(before.text);
  if (before.kind === "string" && token.kind === "string") return false;
  return isOperand(before) && !(index === 1 && STATEMENT_NAMES.has(before.text));
}

function isOperand({ kind, text }: Token): boolean {
  if (kind === "keyword") return text === "None" || text === "True" || text === "False";
  return kind === "name" || kind === "number" || kind === "string";
}

function columnOf(code: string, offset: number): number {
  return offset - (code.lastIndexOf("\n", offset - 1) + 1);
}
