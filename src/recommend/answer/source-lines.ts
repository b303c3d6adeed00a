import { lineStarts } from "../../python/lines.js";
import { isRenamable, type NameRole, nameRoles } from "../../python/name-roles.js";
import { type Token, tokenize } from "../../python/tokenize.js";

/** A row of the text that holds code. A string or magic of several rows has a part in each. */
export interface SourceRow {
  /** Counted from 0. */
  readonly row: number;
  /** Columns before its first token. */
  readonly indent: number;
  /** Without comments. */
  readonly tokens: readonly Token[];
  readonly roles: readonly (NameRole | null)[];
  /** Brackets that are open at its end. */
  readonly depth: number;
  /** The tokens as they are; with the free names numbered in the order they come; and without the values of literals, too. */
  readonly text: string;
  readonly shape: string;
  readonly looseShape: string;
}

/** The tokens of a statement, or of a row where brackets do not tell, with the parts that its names play. */
export interface LogicalLine {
  readonly tokens: readonly Token[];
  readonly roles: readonly (NameRole | null)[];
}

export interface SourceLines {
  readonly rows: readonly SourceRow[];
  readonly logical: readonly LogicalLine[];
}

/** Keywords that start a statement and never a row inside brackets: one that does shows that a bracket was left open. */
const STATEMENT_START = new Set(
  "import def class return while with try del raise assert pass break continue".split(" "),
);

/** The rows and statements of any text, broken or not. */
export function readSourceLines(code: string): SourceLines {
  const tokens = tokenize(code);
  const roles = nameRoles(tokens);
  const starts = lineStarts(code);
  const rows: SourceRow[] = [];
  const logical: LogicalLine[] = [];
  let row: { token: Token; role: NameRole | null }[] = [];
  let line: typeof row = [];
  let rowIndex = 0;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "comment") continue;
    if (token.kind === "newline") {
      closeRow();
      const goesOn = depth > 0 || line.at(-1)?.token.text === "\\";
      if (!goesOn || STATEMENT_START.has(tokens[at + 1]?.text ?? "")) closeLine();
      continue;
    }
    if (token.kind === "operator") depth = Math.max(0, depth + depthChange(token.text));
    line.push({ token, role: roles[at]! });
    for (const part of splitRows(token)) {
      if (row.length > 0 && part !== token && part.start !== token.start) closeRow();
      row.push({ token: part, role: roles[at]! });
    }
  }
  closeRow();
  closeLine();
  return { rows, logical };

  function closeRow(): void {
    if (row.length === 0) return;
    const { start } = row[0]!.token;
    while (rowIndex + 1 < starts.length && starts[rowIndex + 1]! <= start) rowIndex += 1;
    const own = row.map(({ token }) => token);
    const parts = row.map(({ role }) => role);
    const indent = start - starts[rowIndex]!;
    rows.push({ row: rowIndex, indent, tokens: own, roles: parts, depth, ...shapesOf(own, parts) });
    row = [];
  }

  function closeLine(): void {
    if (line.length > 0) logical.push({ tokens: line.map(({ token }) => token), roles: line.map(({ role }) => role) });
    line = [];
    depth = 0;
  }
}

/** A string or magic of several rows, row by row; empty ones are left out. */
function splitRows(token: Token): Token[] {
  if (!token.text.includes("\n")) return [token];
  let start = token.start;
  return token.text.split("\n").flatMap((line) => {
    const text = line.trim();
    const from = start + line.length - line.trimStart().length;
    start += line.length + 1;
    return text === "" ? [] : [{ kind: token.kind, text, start: from, end: from + text.length }];
  });
}

function shapesOf(tokens: readonly Token[], roles: readonly (NameRole | null)[]) {
  const numbers = new Map<string, number>();
  let text = "";
  let shape = "";
  let looseShape = "";
  for (const [at, token] of tokens.entries()) {
    text += `${token.text}\n`;
    if (isRenamable(roles[at])) {
      if (!numbers.has(token.text)) numbers.set(token.text, numbers.size);
      const number = `${numbers.get(token.text)}\n`;
      shape += number;
      looseShape += number;
      continue;
    }
    const isValue = token.kind === "string" || token.kind === "number";
    shape += `${token.text}\n`;
    looseShape += isValue ? `'\n` : `${token.text}\n`;
  }
  return { text, shape, looseShape };
}

function depthChange(text: string): number {
  if (text === "(" || text === "[" || text === "{") return 1;
  return text === ")" || text === "]" || text === "}" ? -1 : 0;
}
