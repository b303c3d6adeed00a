import type { CodeToken } from "./tokens.js";
import { track } from "./tokens.js";

/** The user's writing habits that a completion should follow. */
export interface WritingHabits {
  readonly quote: "'" | '"';
}

const VALUE_WORDS = new Set(["None", "True", "False"]);
/** Operators without a space after them, if no operand precedes them. */
const MAY_BE_UNARY = new Set(["-", "+", "*", "**", "~"]);
const CLOSING = new Set([")", "]", "}"]);
const NO_SPACE_BEFORE = new Set([")", "]", "}", ",", ":", ".", ";"]);
const NO_SPACE_AFTER = new Set(["(", "[", "{", ".", "~", "@"]);

/** The quote character of most strings in the code. */
export function habitsOf(code: string): WritingHabits {
  let single = 0;
  let double = 0;
  for (let at = 0; at < code.length; at += 1) {
    const char = code.charCodeAt(at);
    if (char === 39) single += 1;
    else if (char === 34) double += 1;
  }
  return { quote: double > single ? '"' : "'" };
}

/** Renders tokens with the spaces of PEP 8. `before` are the preceding tokens of the statement. */
export function renderTokens(
  before: readonly CodeToken[],
  openBefore: readonly string[],
  tokens: readonly CodeToken[],
  { quote }: WritingHabits,
): string {
  const open = [...openBefore];
  let text = "";
  let previous = before.at(-1);
  let beforePrevious = before.at(-2);
  for (const token of tokens) {
    if (previous !== undefined && needsSpace(beforePrevious, previous, token, open)) text += " ";
    text += token.kind === "string" ? withQuote(token.text, quote) : token.text;
    if (token.kind === "operator") track(open, token.text);
    beforePrevious = previous;
    previous = token;
  }
  return text;
}

/** Whether PEP 8 puts a space between two tokens. */
export function needsSpace(
  beforePrevious: CodeToken | undefined,
  previous: CodeToken,
  token: CodeToken,
  open: readonly string[],
): boolean {
  if (NO_SPACE_BEFORE.has(token.text) || NO_SPACE_AFTER.has(previous.text)) return false;
  const innermost = open.at(-1);
  if (previous.text === "," || (CLOSING.has(previous.text) && isWord(token))) return true;
  if (previous.text === ":") return innermost !== "[";
  if (isAssignment(previous.text) || isAssignment(token.text))
    return token.text !== "=" && previous.text !== "=" ? true : innermost !== "(";
  if (isWord(previous) && isWord(token)) return true;
  if (token.text === "(" || token.text === "[") return previous.kind === "keyword" && !VALUE_WORDS.has(previous.text);
  if (previous.kind === "operator" && MAY_BE_UNARY.has(previous.text) && isUnaryPlace(beforePrevious)) return false;
  if (token.kind === "operator")
    return !(previous.kind === "keyword" && MAY_BE_UNARY.has(token.text)) || isWord(previous);
  return previous.kind === "operator" ? !NO_SPACE_BEFORE.has(previous.text) || previous.text === "," : true;
}

/** A string with the user's quotes, unless the text contains them. */
function withQuote(text: string, quote: "'" | '"'): string {
  if (quote === "'") return text;
  const match = /^([a-zA-Z]{0,2})'([^'"\\]*)'$/.exec(text);
  return match === null ? text : `${match[1]}"${match[2]}"`;
}

function isAssignment(text: string): boolean {
  return text === "=" || (text.length > 1 && text.endsWith("=") && !/^[=!<>]/.test(text));
}

function isWord({ kind }: CodeToken): boolean {
  return kind === "name" || kind === "keyword" || kind === "number" || kind === "string";
}

function isUnaryPlace(before: CodeToken | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === "keyword") return !VALUE_WORDS.has(before.text);
  return before.kind === "operator" && !CLOSING.has(before.text);
}
