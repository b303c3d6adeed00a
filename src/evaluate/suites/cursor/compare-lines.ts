import { lex, type Token } from "../../../python/lex.js";
import { scanString } from "../../../python/strings.js";

/** A token that a text adds at the cursor; one that starts before the cursor is included in full. */
interface AddedToken {
  readonly kind: Token["kind"];
  /** The text without white space and with double quotes. */
  readonly text: string;
  readonly isClosed: boolean;
}

/** Whether two tokens are equal, ignoring white space and the kind of quotes. */
function normalizeText(text: string): string {
  return text.replace(/\s+/g, "").replaceAll("'", '"');
}

/**
 * The first line of the insertion after `typed`, without its comment. At the start of a line, leading blank lines are
 * skipped.
 */
export function insertedLine(typed: string, text: string): string {
  const shown = typed.trim() === "" ? text.replace(/^(?:[^\S\n]*\n)+/, "") : text;
  const newline = shown.indexOf("\n");
  const line = newline === -1 ? shown : shown.slice(0, newline);
  if (!line.includes("#")) return line;
  const comment = lex(typed + line, 0, false).find(({ kind, end }) => kind === "comment" && end > typed.length);
  return comment === undefined ? line : line.slice(0, Math.max(0, comment.start - typed.length)).trimEnd();
}

/** The tokens of the line whose end is after the cursor. */
export function addedTokens(typed: string, line: string): AddedToken[] {
  const completed = typed + line;
  return lex(completed, 0, false)
    .filter(({ end, kind }) => end > typed.length && kind !== "comment" && kind !== "newline")
    .map(({ kind, text, start }) => ({
      kind,
      text: normalizeText(text),
      isClosed: kind !== "string" || scanString(completed, start)!.closed,
    }));
}

/** The comparison of an inserted line with the real line. */
export interface LineMatch {
  /** Whether the rest of the line is equal. */
  readonly isExact: boolean;
  /** Whether it is equal except for the values of strings and numbers. */
  readonly isLenient: boolean;
  /** The first added token; null if none is added. */
  readonly next: string | null;
  /** Number of leading tokens that equal those of the real line. */
  readonly equalTokens: number;
  /** Whether all inserted tokens equal those of the real line. */
  readonly isPrefix: boolean;
}

/** Compares an inserted text with the real rest of the line. `typed` is the line before the cursor. */
export function compareLine(typed: string, text: string, rest: string): LineMatch {
  const line = insertedLine(typed, text);
  const insertedTokens = addedTokens(typed, line);
  const wanted = addedTokens(typed, rest);
  let equalTokens = 0;
  while (equalTokens < insertedTokens.length && insertedTokens[equalTokens]!.text === wanted[equalTokens]?.text)
    equalTokens += 1;
  return {
    isExact: normalizeText(line) === normalizeText(rest),
    isLenient:
      insertedTokens.length === wanted.length &&
      insertedTokens.every((token, at) => abstract(token) === abstract(wanted[at]!)),
    next: insertedTokens[0]?.text ?? null,
    equalTokens,
    isPrefix: insertedTokens.length > 0 && equalTokens === insertedTokens.length,
  };
}

/** The next token of the real line. */
export function nextToken(typed: string, rest: string): string | null {
  return addedTokens(typed, rest)[0]?.text ?? null;
}

/** An unclosed string does not count as a string. */
function abstract({ kind, text, isClosed }: AddedToken): string {
  if (kind === "string" && isClosed) return "<string>";
  return kind === "number" ? "<number>" : text;
}
