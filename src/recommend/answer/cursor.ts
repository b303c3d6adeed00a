import { scanString } from "../../python/strings.js";
import { findOpenBrackets, type OpenBracket, type OpenStringText } from "./open-brackets.js";
import { type Outline, readOutline, type Statement } from "./outline.js";
import type { SourceLines } from "./source-lines.js";

/** The position of the cursor. */
export interface Cursor {
  readonly outline: Outline;
  /** The statement that contains or precedes the cursor; undefined in an empty cell. */
  readonly statement: Statement | undefined;
  /** The statement's tokens without an unclosed string. */
  readonly tokens: Statement["tokens"];
  readonly open: readonly OpenBracket[];
  readonly string: OpenStringText | null;
  /** Whether the text ends in a line break, so that a new line has begun even if the line before looks unfinished. */
  readonly isAtLineStart: boolean;
  /** Whether the statement cannot end here: a bracket or string is open, or it ends in an operator. */
  readonly isMidway: boolean;
  /** Whether the statement is a block header that only needs its closing brackets and its colon. */
  readonly lacksColon: boolean;
  /** Whether the text ends in a name, which may be the start of a longer one. */
  readonly isInWord: boolean;
  /** Whether the line cannot end here. Then only a cell that continues the line has an insertion. */
  readonly isUnfinished: boolean;
  /** Whether the text ends in white space. */
  readonly isSpaced: boolean;
  /**
   * Index of the cursor's row; `rowOf` and `marginOfRow` give the row of an open bracket and the indentation of a row.
   */
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
  const isMidway =
    open.length > 0 || string !== null || (needsMore && !isComment && (!isAtLineStart || last.text === "\\"));
  const lacksColon = !isAtLineStart && !isComment && isHeaderSoFar(tokens, open.length > 0 || string !== null);
  return {
    outline,
    statement,
    tokens,
    open,
    string,
    isAtLineStart,
    isMidway,
    lacksColon,
    isInWord: string === null && last?.kind === "name" && last.end === code.length,
    isUnfinished: isMidway || lacksColon || (!isAtLineStart && !isComment && lacksPart(tokens)),
    isSpaced: /\s$/.test(code),
    lastRow: outline.starts.length - 1,
    rowOf: ({ at }) => outline.starts.findLastIndex((start) => start <= tokens[at]!.start),
    marginOfRow: (row) => /^[ \t]*/.exec(code.slice(outline.starts[row]!))![0],
  };
}

/** The first keyword of a statement, and a token that the statement must contain. */
const REQUIRED_TOKENS = new Map([
  ["from", "import"],
  ["def", ":"],
  ["class", ":"],
  ["for", "in"],
  ["except", ":"],
]);

/**
 * Whether a statement without open brackets is incomplete: `for i`, `from sklearn`, `key = lambda row`, `a if b else`.
 */
function lacksPart(tokens: Statement["tokens"]): boolean {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined) return false;
  const needed = REQUIRED_TOKENS.get(first.text);
  if (needed !== undefined && !tokens.some(({ text }) => text === needed)) return true;
  const lambda = tokens.findLastIndex(({ text }) => text === "lambda");
  if (lambda !== -1 && !tokens.slice(lambda).some(({ text }) => text === ":")) return true;
  return CLAUSE_KEYWORDS.has(last.text) && tokens.length > 1;
}

const CLAUSE_KEYWORDS = new Set(["else", "try", "finally"]);
const CONDITION = new Set(["if", "elif", "while", "with"]);

function isHeaderSoFar(tokens: Statement["tokens"], isOpen: boolean): boolean {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (tokens.length < 2) return CLAUSE_KEYWORDS.has(first.text);
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

/** Whether the last line has a comment after its code. */
function isInComment(code: string, from: number): boolean {
  return code.slice(from).split("\n", 1)[0]!.trimStart().startsWith("#");
}
