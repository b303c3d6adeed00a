import { withTree } from "./grammar.js";
import { lex, magicToken, type Token } from "./lex.js";

export type { Token, TokenKind } from "./lex.js";

/** Cell magics that run their body as Python, and those that do not. Of others the body is Python if it parses. */
const PYTHON_BODY = new Set("time timeit capture prun memit mprun heat snakeviz python python3".split(" "));
const FOREIGN_BODY = new Set(
  (
    "bash sh script cmd system sx html HTML svg SVG latex markdown javascript js perl ruby R julia octave sql bigquery " +
    "writefile file cython pypy python2"
  ).split(" "),
);

/** A text without any of these has no magic, and needs no parser to find out. */
const MAGIC_HINT = /(?:^|\n)[ \t]*[%!?]|=[ \t]*[!%]|\?[ \t]*(?:\n|$)/;
const CELL_MAGIC = /^\s*%%(\w*)[^\n]*/;

/**
 * The tokens of any text, broken or not, in order; together with the white space between them they are the text. A line
 * that starts with `%` can be string formatting, so magics are looked for only where the untouched cell does not parse.
 */
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
    const blank = text.replace(/[^\n]/g, " ");
    masked += code.slice(done, start) + (/^\?+$/.test(text) ? blank : blank.replace(" ", "0"));
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
  const head = magicToken(code, 0, cell[0].length);
  if (hasPythonBody(cell[1]!, code.slice(head.end))) return [head, ...lex(code, head.end, true)];
  return [magicToken(code, 0, code.length)];
}

function hasPythonBody(magic: string, body: string): boolean {
  if (PYTHON_BODY.has(magic)) return true;
  return !FOREIGN_BODY.has(magic) && parses(maskMagics(body));
}
