import { STATEMENT_KEYWORDS } from "../python/lex.js";
import { scanString } from "../python/strings.js";
import { type Token, tokenize } from "../python/tokenize.js";

export type CodeTokenKind = "name" | "keyword" | "number" | "string" | "operator" | "line" | "magic" | "cell" | "wrap";

/**
 * A token of the model. Comments are dropped, strings have canonical quotes, and line breaks inside brackets are not
 * tokens. Other line breaks include the change of indentation: "\n" for none, "\n+" for deeper, one "-" for each level
 * that ends.
 */
export interface CodeToken {
  readonly kind: CodeTokenKind;
  readonly text: string;
  /** Whether the token starts a line inside brackets. */
  readonly isWrapped?: true;
  /** The comment lines directly above. */
  readonly comment?: string;
}

/** The text before the cursor: the finished tokens, and the token that is being typed. */
export interface CursorTokens {
  readonly tokens: readonly CodeToken[];
  /** The text of the name, number, string or magic that touches the cursor; empty between two tokens. */
  readonly partial: string;
  readonly partialKind: CodeTokenKind | null;
  /** False in a comment or a long string, where nothing is completed. */
  readonly isCode: boolean;
  /** Whether the cursor is at the start of a line inside brackets. */
  readonly isWrapped: boolean;
  /** The brackets that are open at the cursor, innermost last. */
  readonly open: readonly string[];
  /** The comment lines directly above the cursor. */
  readonly comment: string;
  /** The indentation of the line at the cursor, in characters. */
  readonly indent: string;
  /** Indentations of the enclosing blocks, outermost first. */
  readonly indents: readonly number[];
}

/** Ends each cell in a stream of tokens. */
export const CELL_END: CodeToken = { kind: "cell", text: "\f" };
const LINE_BREAK = "\n";
/** The prediction target for a line break inside brackets. It is never part of a context. */
export const WRAP = "\n,";
/** Longer literals are prose or data, which are not worth predicting. */
const MAX_LITERAL = 60;
const MAX_DEDENT = 4;
/** Replaces every string that is too long to be predicted. */
export const LONG_STRING: CodeToken = { kind: "string", text: "'…'" };
const LONG_MAGIC = 80;

const OPENING = new Set(["(", "[", "{"]);
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

interface ReaderState {
  readonly out: CodeToken[];
  readonly open: string[];
  indents: number[];
  /** Whether the next token starts a line, so that it determines the indentation. */
  pending: boolean;
  /** Whether a line break inside brackets was read. */
  wrapped: boolean;
  /** Comment lines since the last token. */
  comment: string;
}

/** The tokens of a cell, without a token for its end. */
export function readCell(code: string): CodeToken[] {
  const state = newState();
  readAll(code, tokenize(code), state);
  return state.out;
}

/** The tokens before the cursor, where `prefix` is the cell's text up to it. */
export function readPrefix(prefix: string): CursorTokens {
  const state = newState();
  const tokens = tokenize(prefix);
  const last = tokens.at(-1);
  const touches = last !== undefined && last.end === prefix.length;
  const partial = touches ? partialOf(last) : null;
  readAll(prefix, partial === null ? tokens : tokens.slice(0, -1), state);
  const start = partial === null ? prefix.length : last!.start;
  const lineStart = prefix.lastIndexOf("\n", start - 1) + 1;
  const indent = /^[ \t]*/.exec(prefix.slice(lineStart, start))![0];
  // A line break becomes a token when the next token is read. At the cursor, the typed indentation takes the place of
  // that token.
  if (state.pending && (partial === null || partial.kind !== "comment")) {
    const isBlank = prefix.slice(lineStart, start).trim() === "";
    if (isBlank && state.out.length > 0) breakLine(state, indent.length);
  }
  return {
    tokens: state.out,
    partial: partial === null ? "" : partial.text,
    partialKind: partial === null || partial.kind === "comment" ? null : partial.kind,
    // The rest of the line after a magic is not Python.
    isCode: partial === null ? !isInMagic(tokens) : partial.kind !== "comment" && !isLongString(partial),
    isWrapped: state.wrapped,
    open: state.open,
    comment: state.comment,
    indent,
    indents: state.indents,
  };
}

/** Whether the cursor is in the line of a magic, or in its continuation after a backslash. */
function isInMagic(tokens: readonly Token[]): boolean {
  const last = tokens.findLast(({ kind }) => kind !== "newline");
  return last?.kind === "magic" && (last === tokens.at(-1) || last.text.endsWith("\\"));
}

/** Whether a string token has its closing quotes. */
function isClosedString(text: string): boolean {
  const string = scanString(text, 0);
  return string?.closed === true && string.end === text.length;
}

/** The string with single quotes, if it contains none. */
export function canonicalString(text: string): string {
  const [, mark = "", quote = "", body = ""] = /^([a-zA-Z]{0,2})("""|'''|"|')([\s\S]*)$/.exec(text) ?? [];
  if (quote !== '"' && quote !== "'") return text;
  const closed = body.endsWith(quote);
  const inner = closed ? body.slice(0, -1) : body;
  if (quote === "'" || inner.includes("'")) return `${mark.toLowerCase()}${quote}${body}`;
  return `${mark.toLowerCase()}'${inner}${closed ? "'" : ""}`;
}

function newState(): ReaderState {
  return { out: [], open: [], indents: [0], pending: false, wrapped: false, comment: "" };
}

function readAll(code: string, tokens: readonly Token[], state: ReaderState): void {
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "comment" && (index === 0 || tokens[index - 1]!.kind === "newline")) state.comment += token.text;
    if (token.kind === "comment" || token.kind === "other" || token.text === "\\") continue;
    if (token.kind === "newline") {
      if (tokens[index - 1]?.text === "\\") continue;
      if (state.open.length > 0 && !startsStatement(tokens, index + 1)) {
        state.wrapped = true;
        continue;
      }
      state.open.length = 0;
      state.pending = state.out.length > 0;
      continue;
    }
    if (state.pending) breakLine(state, indentAt(code, token.start));
    const converted = toCodeToken(token);
    if (converted.kind === "operator") track(state.open, converted.text);
    const { wrapped, comment } = state;
    state.out.push(
      wrapped || comment !== ""
        ? { ...converted, ...(wrapped && { isWrapped: true }), ...(comment !== "" && { comment }) }
        : converted,
    );
    state.wrapped = false;
    state.comment = "";
  }
}

function startsStatement(tokens: readonly Token[], from: number): boolean {
  const next = tokens.slice(from, from + 3).find(({ kind }) => kind !== "newline" && kind !== "comment");
  return next !== undefined && next.kind === "keyword" && STATEMENT_KEYWORDS.has(next.text);
}

function indentAt(code: string, start: number): number {
  return start - (code.lastIndexOf("\n", start - 1) + 1);
}

function breakLine(state: ReaderState, indent: number): void {
  state.pending = false;
  const current = state.indents.at(-1)!;
  if (indent > current) {
    state.indents.push(indent);
    state.out.push({ kind: "line", text: "\n+" });
    return;
  }
  let closed = 0;
  while (state.indents.length > 1 && state.indents.at(-1)! > indent) {
    state.indents.pop();
    closed += 1;
  }
  state.out.push({ kind: "line", text: LINE_BREAK + "-".repeat(Math.min(closed, MAX_DEDENT)) });
}

/** Updates the stack of open brackets. */
export function track(open: string[], text: string): void {
  if (OPENING.has(text)) open.push(text);
  else if (CLOSING[text] !== undefined && open.at(-1) === CLOSING[text]) open.pop();
}

function toCodeToken({ kind, text }: Token): CodeToken {
  if (kind === "string") return text.length > MAX_LITERAL ? LONG_STRING : { kind, text: canonicalString(text) };
  if (kind === "magic")
    return { kind, text: text.length > LONG_MAGIC ? text.slice(0, text.indexOf(" ") + 1 || 8) : text };
  return { kind: kind as CodeTokenKind, text };
}

interface Partial {
  readonly kind: CodeTokenKind | "comment";
  readonly text: string;
}

/** The last token if further typing could change it, else null. */
function partialOf({ kind, text }: Token): Partial | null {
  if (kind === "comment") return { kind: "comment", text };
  if (kind === "name" || kind === "keyword") return { kind: "name", text };
  if (kind === "number" || kind === "magic") return { kind, text };
  if (kind === "string" && !isClosedString(text)) return { kind: "string", text: canonicalString(text) };
  return null;
}

function isLongString({ kind, text }: Partial): boolean {
  return kind === "string" && (/^[a-zA-Z]{0,2}("""|''')/.test(text) || text.length > MAX_LITERAL);
}
