import { scanString } from "../../python/strings.js";
import { cannotEnd } from "./cannot-end.js";
import { findOpenBrackets, type OpenBracket, type OpenStringText } from "./open-brackets.js";
import { type Outline, readOutline, type Statement } from "./outline.js";
import type { SourceLines } from "./source-lines.js";

/** Where somebody types. */
export interface Cursor {
  readonly outline: Outline;
  /** The statement that the cursor stands in or behind; undefined in an empty cell. */
  readonly statement: Statement | undefined;
  /** Its tokens without a string that is still open. */
  readonly tokens: Statement["tokens"];
  readonly open: readonly OpenBracket[];
  readonly string: OpenStringText | null;
  /** Behind a line break a new line has begun, whatever the line before looks like. */
  readonly isAtLineStart: boolean;
  /** Whether the statement cannot end here: a bracket or string is open, or it ends in an operator. */
  readonly isMidway: boolean;
  /** Whether closing what is open would not make a statement of it: only a cell that says how it goes on is of use. */
  readonly cannotEnd: boolean;
  /** Whether the statement starts a block, and lacks nothing but the colon once all brackets are closed. */
  readonly lacksColon: boolean;
  /** Whether white space is the last that was typed. */
  readonly isSpaced: boolean;
  /** The row of the cursor, that of a bracket which is open, and the white space that a row starts with. */
  readonly lastRow: number;
  rowOf(bracket: OpenBracket): number;
  marginOfRow(row: number): string;
}

const STRING_START = /^[A-Za-z]*("""|'''|"|')/;
/** Operators and keywords that may end a statement. */
const MAY_END = /^(?:[)\]}:;]|\.\.\.|\?+|None|True|False|pass|break|continue|return|else|try|finally)$/;

export function readCursor(code: string, source: SourceLines): Cursor {
  const outline = readOutline(code, source);
  const statement = outline.statements.at(-1);
  const string = statement === undefined ? null : findOpenString(code, statement);
  const tokens = string === null ? (statement?.tokens ?? []) : statement!.tokens.slice(0, -1);
  const open = findOpenBrackets(tokens);
  const last = tokens.at(-1);
  const isComment = statement !== undefined && isInComment(code, statement.tokens.at(-1)!.end);
  const needsMore =
    last !== undefined && (last.kind === "operator" || last.kind === "keyword") && !MAY_END.test(last.text);
  const isAtLineStart = /\n[ \t]*$/.test(code);
  return {
    outline,
    statement,
    tokens,
    open,
    string,
    isAtLineStart,
    isMidway: open.length > 0 || string !== null || (needsMore && !isComment && (!isAtLineStart || last.text === "\\")),
    cannotEnd:
      !isComment && (!isAtLineStart || open.length > 0 || last?.text === "\\") && cannotEnd(tokens, open, string),
    lacksColon: !isAtLineStart && !isComment && isHeaderSoFar(tokens, open.length > 0 || string !== null),
    isSpaced: /\s$/.test(code),
    lastRow: outline.starts.length - 1,
    rowOf: ({ at }) => outline.starts.findLastIndex((start) => start <= tokens[at]!.start),
    marginOfRow: (row) => /^[ \t]*/.exec(code.slice(outline.starts[row]!))![0],
  };
}

const ALONE = new Set(["else", "try", "finally"]);
const CONDITION = new Set(["if", "elif", "while", "with"]);

function isHeaderSoFar(tokens: Statement["tokens"], isOpen: boolean): boolean {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (tokens.length < 2) return ALONE.has(first.text);
  const isValue = isOpen || /^[)\]}]$/.test(last.text) || ["name", "number", "string"].includes(last.kind);
  if (first.text === "for")
    return isValue && last.text !== "in" && tokens.slice(0, -1).some(({ text }) => text === "in");
  if (first.text === "def") return (isOpen && tokens.length > 2) || last.text === ")";
  return CONDITION.has(first.text) && isValue && !tokens.some(({ text }) => text === ":");
}

function findOpenString(code: string, { tokens }: Statement): OpenStringText | null {
  const { kind, start, end } = tokens.at(-1)!;
  if (kind !== "string" || end < code.length || scanString(code, start)?.closed !== false) return null;
  const text = code.slice(start);
  const [opening, quote] = STRING_START.exec(text)!;
  return { start: opening, quote: quote!, body: text.slice(opening.length) };
}

/** Whether the last line has a comment behind its code. */
function isInComment(code: string, from: number): boolean {
  return code.slice(from).split("\n", 1)[0]!.trimStart().startsWith("#");
}
