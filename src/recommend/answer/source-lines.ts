import { RANKED_STATEMENT_KEYWORDS } from "../../python/lex.js";
import { type NameRole, nameRoles } from "../../python/name-roles.js";
import { lineStarts } from "../../python/strip.js";
import { type Token, tokenize } from "../../python/tokenize.js";

/** A row of the text that contains code. A multi-line string or magic has a part in each of its rows. */
export interface SourceRow {
  /** Counted from 0. */
  readonly row: number;
  /** Column of the first token. */
  readonly indent: number;
  /** The row's tokens, without comments. */
  readonly tokens: readonly Token[];
  readonly roles: readonly (NameRole | null)[];
  /** Whether the row starts inside a multi-line string or magic. */
  readonly isInside: boolean;
  /** Number of brackets that are open at the end of the row. */
  readonly depth: number;
}

/** The tokens of a statement (or of a row, if brackets are unbalanced), with the roles of its names. */
export interface LogicalLine {
  readonly tokens: readonly Token[];
  readonly roles: readonly (NameRole | null)[];
}

export interface SourceLines {
  readonly rows: readonly SourceRow[];
  readonly logical: readonly LogicalLine[];
}

/** Cached as long as the tokens of the text, because several parts of an answer read the same text. */
const known = new WeakMap<readonly Token[], SourceLines>();

/** Parses the statements of a text, which may have syntax errors. Its rows are parsed on first access. */
export function readSourceLines(code: string): SourceLines {
  const tokens = tokenize(code);
  const found = known.get(tokens);
  if (found !== undefined) return found;
  const roles = nameRoles(tokens);
  let rows: SourceRow[] | undefined;
  const source = {
    logical: readLogicalLines(tokens, roles),
    get rows() {
      rows ??= readRows(code, tokens, roles);
      return rows;
    },
  };
  known.set(tokens, source);
  return source;
}

type Roles = readonly (NameRole | null)[];

function readLogicalLines(tokens: readonly Token[], roles: Roles): LogicalLine[] {
  const lines: LogicalLine[] = [];
  let open: { tokens: Token[]; roles: (NameRole | null)[] } = { tokens: [], roles: [] };
  let depth = 0;
  const close = () => {
    if (open.tokens.length > 0) lines.push(open);
    open = { tokens: [], roles: [] };
    depth = 0;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind === "comment") continue;
    if (token.kind === "newline") {
      const goesOn = depth > 0 || open.tokens.at(-1)?.text === "\\";
      if (!goesOn || RANKED_STATEMENT_KEYWORDS.has(tokens[at + 1]?.text ?? "")) close();
      continue;
    }
    if (token.kind === "operator") depth = Math.max(0, depth + depthChange(token.text));
    open.tokens.push(token);
    open.roles.push(roles[at]!);
  }
  close();
  return lines;
}

function readRows(code: string, tokens: readonly Token[], roles: Roles): SourceRow[] {
  const starts = lineStarts(code);
  const rows: SourceRow[] = [];
  let own: Token[] = [];
  let parts: (NameRole | null)[] = [];
  let row = 0;
  let depth = 0;
  let isInside = false;
  const close = () => {
    if (own.length === 0) return;
    const { start } = own[0]!;
    while (row + 1 < starts.length && starts[row + 1]! <= start) row += 1;
    const indent = start - starts[row]!;
    rows.push({ row, indent, tokens: own, roles: parts, isInside, depth });
    isInside = false;
    own = [];
    parts = [];
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind === "comment") continue;
    if (token.kind === "newline") {
      close();
      if (RANKED_STATEMENT_KEYWORDS.has(tokens[at + 1]?.text ?? "")) depth = 0;
      continue;
    }
    if (token.kind === "operator") depth = Math.max(0, depth + depthChange(token.text));
    if (!token.text.includes("\n")) {
      own.push(token);
      parts.push(roles[at]!);
      continue;
    }
    for (const part of splitRows(token)) {
      if (part.start !== token.start) {
        close();
        isInside = true;
      }
      own.push(part);
      parts.push(roles[at]!);
    }
  }
  close();
  return rows;
}

/** Splits a multi-line string or magic into its rows; empty rows are left out. */
function splitRows(token: Token): Token[] {
  let start = token.start;
  return token.text.split("\n").flatMap((line) => {
    const text = line.trim();
    const from = start + line.length - line.trimStart().length;
    start += line.length + 1;
    return text === "" ? [] : [{ kind: token.kind, text, start: from, end: from + text.length }];
  });
}

function depthChange(text: string): number {
  if (text === "(" || text === "[" || text === "{") return 1;
  return text === ")" || text === "]" || text === "}" ? -1 : 0;
}
