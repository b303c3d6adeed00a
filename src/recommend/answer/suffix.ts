import { type Token, tokenize } from "../../python/tokenize.js";
import type { Cursor } from "./cursor.js";
import type { OpenStringText } from "./open-brackets.js";
import { readSourceLines } from "./source-lines.js";

/** The cell's text after the cursor, which an insertion does not repeat. */
export interface Suffix {
  /** The tokens of the cursor's line after the cursor, without a comment and without the rest of an open string. */
  readonly tokens: readonly Token[];
  /** The rest of the string that is open at the cursor, with its closing quote; null if the line does not close it. */
  readonly stringEnd: string | null;
  /** Number of brackets that are open at the cursor and closed by the rest of the cursor's line. */
  readonly closes: number;
  /** Keys of the statements below the cursor's line, made by `statementKey`. */
  readonly statements: ReadonlySet<string>;
}

const MAX_CHARACTERS = 20_000;

export function readSuffix(text: string, { string, isAtLineStart }: Cursor): Suffix {
  const suffix = text.slice(0, MAX_CHARACTERS);
  const lineEnd = suffix.indexOf("\n") === -1 ? suffix.length : suffix.indexOf("\n");
  const quote = string === null ? -1 : suffix.slice(0, lineEnd).indexOf(string.quote);
  const start = quote === -1 ? 0 : quote + string!.quote.length;
  const isCode = ({ kind }: Token) => kind !== "comment" && kind !== "newline";
  const below = isAtLineStart ? suffix : suffix.slice(lineEnd + 1);
  return {
    tokens: tokenize(suffix.slice(start, lineEnd)).filter(isCode),
    stringEnd: quote === -1 ? null : suffix.slice(0, quote),
    closes: countClosing(tokenize(suffix.slice(start))),
    statements: new Set(below.trim() === "" ? [] : readSourceLines(below).logical.map(statementKey)),
  };
}

/** A key that is equal for statements that differ only in layout. */
export function statementKey({ tokens }: { readonly tokens: readonly Token[] }): string {
  return tokens.map(({ text }) => text).join("\n");
}

/**
 * Cuts the end of `head` that the suffix already contains: `param_grid, cv=5)` before `, cv=5)` becomes `param_grid`.
 * `head` is the text that ends the cursor's line. Empty if the two cannot be joined.
 */
export function cutAtSuffix(head: string, cursor: Cursor, suffix: Suffix): string {
  if (suffix.stringEnd !== null) return cutString(head, cursor.string!, suffix.stringEnd);
  const lead = cursor.string === null ? 0 : head.indexOf(cursor.string.quote) + cursor.string.quote.length;
  const tokens = tokenize(head.slice(lead)).filter(({ kind }) => kind !== "newline");
  const at = findCut(tokens, suffix, cursor.open.length - suffix.closes);
  const kept = at === -1 ? tokens : tokens.slice(0, at);
  const next = suffix.tokens[0];
  const closes = next === undefined ? at !== -1 : isCloser(next) || next.text === ",";
  while (closes && kept.at(-1)?.text === ",") kept.pop();
  const last = kept.at(-1);
  const text = last === undefined ? head.slice(0, lead) : head.slice(0, lead + last.end);
  const before = last ?? (lead > 0 ? undefined : cursor.tokens.at(-1));
  const isGlued =
    next !== undefined && isOperand(next) && (before === undefined || isOperand(before) || isCloser(before));
  return isGlued ? "" : text;
}

/** Index of the first token that the suffix already contains; -1 if there is none. */
function findCut(tokens: readonly Token[], suffix: Suffix, mayClose: number): number {
  const keywords = new Set(
    suffix.tokens
      .filter(({ kind }, at) => kind === "name" && suffix.tokens[at + 1]?.text === "=")
      .map(({ text }) => text),
  );
  let depth = 0;
  let closed = 0;
  for (const [at, token] of tokens.entries()) {
    if (depth === 0) {
      const name = token.text === "," ? at + 1 : at === 0 ? 0 : -1;
      const isKeyword = tokens[name + 1]?.text === "=" && keywords.has(tokens[name]?.text ?? "");
      if (isKeyword || (!isCloser(token) && startsHere(tokens, at, suffix.tokens))) return at;
    }
    if (token.kind !== "operator") continue;
    if ("([{".includes(token.text)) depth += 1;
    else if (!isCloser(token)) continue;
    else if (depth > 0) depth -= 1;
    else {
      closed += 1;
      if (closed > mayClose) return at;
    }
  }
  return -1;
}

/** Whether the tokens from `at` start like the suffix: two equal tokens in a row, or all tokens if there are fewer. */
function startsHere(tokens: readonly Token[], at: number, suffix: readonly Token[]): boolean {
  const count = Math.min(2, suffix.length, tokens.length - at);
  return count > 0 && suffix.slice(0, count).every(({ text }, index) => tokens[at + index]!.text === text);
}

function cutString(head: string, { quote }: OpenStringText, end: string): string {
  const body = head.slice(0, Math.max(0, head.indexOf(quote)));
  return body.endsWith(end) ? body.slice(0, body.length - end.length) : "";
}

function countClosing(tokens: readonly Token[]): number {
  let depth = 0;
  let lowest = 0;
  for (const token of tokens) {
    if (token.kind !== "operator") continue;
    if ("([{".includes(token.text)) depth += 1;
    else if (isCloser(token)) depth -= 1;
    lowest = Math.min(lowest, depth);
  }
  return -lowest;
}

function isCloser({ kind, text }: Token): boolean {
  return kind === "operator" && ")]}".includes(text);
}

function isOperand({ kind }: Token): boolean {
  return kind === "name" || kind === "number" || kind === "string" || kind === "keyword";
}
