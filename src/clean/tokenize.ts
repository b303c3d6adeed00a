import { withTree } from "./grammar.js";
import { scanString } from "./strings.js";
import { KEYWORDS } from "./words.js";

export type TokenKind =
  | "name"
  | "keyword"
  | "number"
  | "string"
  | "operator"
  | "comment"
  | "magic"
  | "newline"
  | "other";

/** `start` and `end` are offsets into the code. A magic is the whole rest of its line, or the body of a `%%bash` cell. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Cell magics that run their body as Python. Of others the body is Python if it parses. */
const PYTHON_BODY = new Set([
  "time",
  "timeit",
  "capture",
  "prun",
  "memit",
  "mprun",
  "heat",
  "snakeviz",
  "python",
  "python3",
]);
const FOREIGN_BODY = new Set(
  "bash sh script cmd system html HTML svg SVG latex markdown javascript js perl ruby R julia octave sql bigquery writefile file cython pypy python2 sx".split(
    " ",
  ),
);

/** A text without any of these has no magic, and needs no parser to find out. */
const MAGIC_HINT = /(?:^|\n)[ \t]*[%!?]|=[ \t]*[!%]|\?[ \t]*(?:\n|$)/;
const CELL_MAGIC = /^\s*%%(\w*)[^\n]*/;
const LINE_MAGIC = /[ \t]*(?:[!?]|%(?![ \t]*[=\d]))(?:[^\n\\]|\\\n|\\(?!\n))*/y;
const ASSIGNED_MAGIC = /(?:!(?!=)|%[A-Za-z_])(?:[^\n\\]|\\\n|\\(?!\n))*/y;
const HELP_LINE = /[ \t]*[\w.*%]+\?{1,2}[ \t]*(?=\n|$)/y;

const SPACE = /[^\S\n]+/y;
const NAME = /[A-Za-z_\p{ID_Start}][\w\p{ID_Continue}]*/uy;
const NUMBER =
  /0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJlL]?/y;
const OPERATOR =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|->|:=|==|<=|>=|<>|\*\*|\/\/|>>|<<|[-+*/%@&|^]=|[-+*/%@&|^~<>=.,:;()[\]{}!?\\`$]/y;
const COMMENT = /#[^\n]*/y;
/** A name with a hyphen of another script, a stray control character, half an emoji: kept, one at a time. */
const OTHER = /[^]/uy;

/** The tokens of any text, broken or not, in order; together with the white space between them they are the text. */
export function tokenize(code: string): Token[] {
  return MAGIC_HINT.test(code) && !parses(code) ? lexCell(code) : lex(code, 0, false);
}

/** The code with its magics replaced, length and lines kept, by what a Python parser accepts. */
export function maskMagics(code: string, tokens: readonly Token[] = tokenize(code)): string {
  let masked = "";
  let done = 0;
  for (const { kind, text, start, end } of tokens) {
    if (kind !== "magic") continue;
    // `0` is a statement and an expression, so it can stand for `!ls` and for the right side of `files = !ls`.
    masked += code.slice(done, start) + (text === "?" ? " " : text.replace(/[^\n]/g, " ").replace(" ", "0"));
    done = end;
  }
  return masked + code.slice(done);
}

/** Whether a Python parser reads the code without an error. */
export function parses(code: string): boolean {
  return withTree(code, (root) => !root.hasError) ?? false;
}

function lexCell(code: string): Token[] {
  const cell = CELL_MAGIC.exec(code);
  if (cell === null) return lex(code, 0, true);
  const start = cell[0].indexOf("%%");
  const head = magicToken(code, start, cell[0].length);
  if (hasPythonBody(cell[1]!, code.slice(head.end))) return [head, ...lex(code, head.end, true)];
  return [magicToken(code, start, code.length)];
}

/** Trailing spaces are no part of a magic, so that cleaning may drop them. */
function magicToken(code: string, start: number, end: number): Token {
  const text = code.slice(start, end).trimEnd();
  return { kind: "magic", text, start, end: start + text.length };
}

function hasPythonBody(magic: string, body: string): boolean {
  if (PYTHON_BODY.has(magic)) return true;
  return !FOREIGN_BODY.has(magic) && parses(maskMagics(body));
}

function lex(code: string, from: number, magics: boolean): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let lineStart = true;
  let at = from;
  const push = (kind: TokenKind, end: number) => {
    tokens.push({ kind, text: code.slice(at, end), start: at, end });
    at = end;
  };
  while (at < code.length) {
    if (magics && lineStart && (depth === 0 || /^[ \t]*!(?!=)/.test(code.slice(at, at + 40)))) {
      const magic = match(LINE_MAGIC, code, at);
      if (magic !== -1) {
        const token = magicToken(code, at + code.slice(at, magic).search(/\S/), magic);
        tokens.push(token);
        at = token.end;
        lineStart = false;
        continue;
      }
      if (match(HELP_LINE, code, at) !== -1) lexHelp();
    }
    const char = code[at];
    if (char === undefined) break;
    lineStart = false;
    let end: number;
    if (char === "\n") {
      push("newline", at + 1);
      lineStart = true;
    } else if ((end = match(SPACE, code, at)) !== -1) at = end;
    else if (char === "#") push("comment", match(COMMENT, code, at));
    else if ((end = scanString(code, at)?.end ?? -1) !== -1) push("string", end);
    else if ((end = match(NAME, code, at)) !== -1) push(KEYWORDS.has(code.slice(at, end)) ? "keyword" : "name", end);
    else if ((end = match(NUMBER, code, at)) !== -1) push("number", end);
    else if ((end = match(OPERATOR, code, at)) !== -1) {
      if ("([{".includes(char)) depth += 1;
      else if (")]}".includes(char)) depth = Math.max(0, depth - 1);
      push("operator", end);
      if (magics && char === "=" && depth === 0) lexAssigned();
    } else push("other", match(OTHER, code, at));
  }
  return tokens;

  /** `files = !ls` */
  function lexAssigned(): void {
    const space = match(SPACE, code, at);
    const start = space === -1 ? at : space;
    const end = match(ASSIGNED_MAGIC, code, start);
    if (end === -1) return;
    tokens.push(magicToken(code, start, end));
    at = tokens.at(-1)!.end;
  }

  /** `df.head?`: names as usual, the question mark as a magic. */
  function lexHelp(): void {
    const mark = code.indexOf("?", at);
    tokens.push(...lex(code.slice(0, mark), at, false));
    at = mark;
    push("magic", code[mark + 1] === "?" ? mark + 2 : mark + 1);
  }
}

function match(pattern: RegExp, code: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(code) ? pattern.lastIndex : -1;
}
