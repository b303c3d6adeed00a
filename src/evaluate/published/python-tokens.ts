/** The kinds of tokens of Python's standard module `tokenize`. */
type TokenKind =
  | "name"
  | "number"
  | "string"
  | "operator"
  | "comment"
  | "newline"
  | "blank"
  | "indent"
  | "dedent"
  | "error"
  | "end";

export interface PythonToken {
  readonly kind: TokenKind;
  readonly text: string;
  /** Lines count from 1, columns from 0. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * An error that `tokenize` raises: an unclosed bracket or string at the end, or a dedent that matches no earlier
 * indentation.
 */
export class PythonTokenError extends Error {}

const TAB = 8;
const STRING_PREFIX = "(?:[bB][rR]?|[rR][bBfF]?|[uU]|[fF][rR]?)?";
const DIGITS = "[0-9](?:_?[0-9])*";
const EXPONENT = `[eE][-+]?${DIGITS}`;
const FLOAT = `(?:(?:${DIGITS}\\.(?:${DIGITS})?|\\.${DIGITS})(?:${EXPONENT})?|${DIGITS}${EXPONENT})`;
const INTEGER = "(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:0(?:_?0)*|[1-9](?:_?[0-9])*))";
const NUMBER = `(?:${DIGITS}[jJ]|${FLOAT}[jJ]|${FLOAT}|${INTEGER})`;
const OPERATOR = "(?:\\*\\*=?|>>=?|<<=?|!=|//=?|->|\\.\\.\\.|:=|[+\\-*/%&@|^=<>]=?|~|[\\][(){}]|[:;.,@]|\\r?\\n)";
const SINGLE_QUOTED = "'[^\\n'\\\\]*(?:\\\\[^\\n][^\\n'\\\\]*)*(?:'|\\\\\\r?\\n)";
const DOUBLE_QUOTED = '"[^\\n"\\\\]*(?:\\\\[^\\n][^\\n"\\\\]*)*(?:"|\\\\\\r?\\n)';
const TRIPLE_START = `${STRING_PREFIX}(?:'''|""")`;
/** Alternatives in the order of `tokenize`; leading white space is skipped. */
const TOKEN = new RegExp(
  `[ \\f\\t]*(\\\\\\r?\\n|$|#[^\\r\\n]*|${TRIPLE_START}|${NUMBER}|${OPERATOR}|${STRING_PREFIX}${SINGLE_QUOTED}|${STRING_PREFIX}${DOUBLE_QUOTED}|[\\p{L}\\p{N}_]+)`,
  "uy",
);
const IS_TRIPLE_START = new RegExp(`^${TRIPLE_START}$`);
const IS_STRING_START = new RegExp(`^${STRING_PREFIX}['"]`);
/** The rest of a string up to its closing quotes. */
const STRING_ENDS: Readonly<Record<string, RegExp>> = {
  "'": /[^'\\]*(?:\\[\s\S][^'\\]*)*'/y,
  '"': /[^"\\]*(?:\\[\s\S][^"\\]*)*"/y,
  "'''": /[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''/y,
  '"""': /[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""/y,
};

/** A string that continues on the next line. */
interface OpenString {
  text: string;
  readonly ends: RegExp;
  readonly line: number;
  readonly column: number;
  /** A single-quoted string continues only after a backslash. */
  readonly needsBackslash: boolean;
}

interface TokenizeOptions {
  /** Whether to reject lines whose indentation depends on the width of a tab, like the compiler. */
  readonly checkTabs?: boolean;
}

/**
 * The tokens of Python's `tokenize` (3.7 to 3.11). They differ from the tokens of an editor: comments and line breaks
 * are tokens, `blank` is a line break that ends no statement, and a character that cannot start a token is an `error`
 * token.
 * @throws PythonTokenError if `tokenize` raises
 */
export function tokenizePython(code: string, { checkTabs = false }: TokenizeOptions = {}): PythonToken[] {
  const tokens: PythonToken[] = [];
  const lines = splitLines(code);
  const indents: Indent[] = [{ column: 0, narrow: 0 }];
  let open = null as OpenString | null;
  let depth = 0;
  let isContinued = false;
  let number = 0;

  const push = (kind: TokenKind, text: string, column: number, endColumn: number) =>
    tokens.push({ kind, text, line: number, column, endLine: number, endColumn });
  const pushString = (kind: TokenKind, string: OpenString, text: string, endColumn: number) =>
    tokens.push({ kind, text, line: string.line, column: string.column, endLine: number, endColumn });

  for (const line of [...lines, ""]) {
    number += 1;
    let at = 0;
    if (open !== null) {
      if (line === "") throw new PythonTokenError("The end of the text is inside a string.");
      const end = matchEnd(open.ends, line, 0);
      if (end !== null) {
        pushString("string", open, open.text + line.slice(0, end), end);
        open = null;
        at = end;
      } else if (open.needsBackslash && !/\\\r?\n$/.test(line)) {
        pushString("error", open, open.text + line, line.length);
        open = null;
        continue;
      } else {
        open.text += line;
        continue;
      }
    } else if (depth === 0 && !isContinued) {
      if (line === "") break;
      const indent = readIndent(line);
      at = indent.length;
      if (at === line.length) break;
      if (/[#\r\n]/.test(line[at]!)) {
        const comment = /^[^\r\n]*/.exec(line.slice(at))![0];
        const end = at + (line[at] === "#" ? comment.length : 0);
        if (end > at) push("comment", comment, at, end);
        push("blank", line.slice(end), end, line.length);
        continue;
      }
      indentTo(indent);
    } else {
      if (line === "") throw new PythonTokenError("The end of the text is inside a statement.");
      isContinued = false;
    }
    while (at < line.length) at = readToken(line, at);
  }

  const last = lines.at(-1) ?? "";
  if (last !== "" && !/[\r\n]$/.test(last) && !last.trimStart().startsWith("#")) {
    number -= 1;
    push("newline", "", last.length, last.length + 1);
    number += 1;
  }
  for (let left = indents.length; left > 1; left -= 1) push("dedent", "", 0, 0);
  push("end", "", 0, 0);
  return tokens;

  function indentTo({ column, narrow, length }: Indent & { length: number }): void {
    const text = lines[number - 1]!.slice(0, length);
    if (column > indents.at(-1)!.column) {
      if (checkTabs && narrow <= indents.at(-1)!.narrow) throw new PythonTokenError("Tabs and blanks are mixed.");
      indents.push({ column, narrow });
      push("indent", text, 0, length);
    }
    while (column < indents.at(-1)!.column) {
      if (!indents.some((known) => known.column === column)) {
        throw new PythonTokenError(`Line ${number} returns to no earlier indentation.`);
      }
      indents.pop();
      push("dedent", "", length, length);
    }
    if (checkTabs && narrow !== indents.at(-1)!.narrow) throw new PythonTokenError("Tabs and blanks are mixed.");
  }

  /** Adds the token at an offset of the line, and returns the offset after it. */
  function readToken(line: string, at: number): number {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(line);
    if (match === null) {
      const character = String.fromCodePoint(line.codePointAt(at)!);
      push("error", character, at, at + character.length);
      return at + character.length;
    }
    const text = match[1]!;
    const end = TOKEN.lastIndex;
    const start = end - text.length;
    if (text === "") return line.length;
    if (text[0] === "\\") isContinued = true;
    else if (/^(?:\d|\.\d)/.test(text)) push("number", text, start, end);
    else if (/^[\r\n]/.test(text)) push(depth > 0 ? "blank" : "newline", text, start, end);
    else if (text[0] === "#") push("comment", text, start, end);
    else if (IS_TRIPLE_START.test(text)) {
      const ends = STRING_ENDS[text.slice(-3)]!;
      const close = matchEnd(ends, line, end);
      if (close === null) return leaveOpen(line, start, ends, false);
      push("string", line.slice(start, close), start, close);
      return close;
    } else if (IS_STRING_START.test(text)) {
      if (text.endsWith("\n")) return leaveOpen(line, start, STRING_ENDS[/['"]/.exec(text)![0]]!, true);
      push("string", text, start, end);
    } else if (/^[\p{L}\p{Nl}_]/u.test(text)) push("name", text, start, end);
    else {
      if ("([{".includes(text)) depth += 1;
      else if (")]}".includes(text)) depth -= 1;
      push("operator", text, start, end);
    }
    return end;
  }

  function leaveOpen(line: string, start: number, ends: RegExp, needsBackslash: boolean): number {
    open = { text: line.slice(start), ends, line: number, column: start, needsBackslash };
    return line.length;
  }
}

interface Indent {
  readonly column: number;
  /** The column with tabs of width 1, which the compiler also compares. */
  readonly narrow: number;
}

function readIndent(line: string): Indent & { length: number } {
  let [column, narrow, length] = [0, 0, 0];
  for (; length < line.length; length += 1) {
    if (line[length] === " ") [column, narrow] = [column + 1, narrow + 1];
    else if (line[length] === "\t") [column, narrow] = [(Math.floor(column / TAB) + 1) * TAB, narrow + 1];
    else if (line[length] === "\f") [column, narrow] = [0, 0];
    else break;
  }
  return { column, narrow, length };
}

/** Lines with their line breaks; only LF ends one. */
function splitLines(code: string): string[] {
  return code.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function matchEnd(ends: RegExp, line: string, from: number): number | null {
  ends.lastIndex = from;
  return ends.test(line) ? ends.lastIndex : null;
}

/**
 * The code that CodeBLEU parses: rebuilt from Python's tokens without comments, docstrings and blank lines. Any string
 * that starts a line counts as a docstring, and line breaks after a backslash are lost. Code that `tokenize` rejects is
 * unchanged.
 */
export function stripDocstrings(code: string): string {
  const tokens = readTokens(code);
  if (tokens === null) return code;
  let text = "";
  let before = "indent";
  let [line, column] = [-1, 0];
  for (const token of tokens) {
    if (token.line > line) column = 0;
    if (token.column > column) text += " ".repeat(token.column - column);
    if (token.kind === "string") {
      if (before !== "indent" && before !== "newline" && token.column > 0) text += token.text;
    } else if (token.kind !== "comment") text += token.text;
    before = token.kind;
    [line, column] = [token.endLine, token.endColumn];
  }
  return text
    .split("\n")
    .filter((one) => one.trim() !== "")
    .join("\n");
}

function readTokens(code: string) {
  try {
    return tokenizePython(code);
  } catch (error) {
    if (error instanceof PythonTokenError) return null;
    throw error;
  }
}
