import { withTree } from "./grammar.js";
import { blankComments, lex, magicToken, type Token } from "./lex.js";

export type { Token, TokenKind } from "./lex.js";

/** Cell magics that run their body as Python, and those that do not. Of others the body is Python if it parses. */
const PYTHON_BODY = new Set("time timeit capture prun memit mprun heat snakeviz python python3".split(" "));
const FOREIGN_BODY = new Set(
  (
    "bash sh shell script cmd system sx html HTML svg SVG latex markdown javascript js perl ruby R julia octave sql bigquery " +
    "writefile file cython pypy python2"
  ).split(" "),
);

/** A text without any of these has no magic, and needs no parser to find out. */
const MAGIC_HINT = /(?:^|\n)[ \t]*[%!?]|=[ \t]*[!%]|\?[ \t]*(?:\n|$)/;
/** Comments may stand before it: Colab allows them, and cleaning takes them away. */
const CELL_MAGIC = /^((?:\s*#[^\n]*\n)*\s*)%%(\w*)[^\n]*/;

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

/**
 * Whether a Python parser reads the code without an error. It is shown the code without comments: on a long run of
 * comment lines its time grows with their square.
 */
export function parses(code: string): boolean {
  const bare = code.includes("#") ? blankComments(code, lex(code, 0, false)) : code;
  return withTree(bare, (root) => !root.hasError) ?? false;
}

function lexCell(code: string): Token[] {
  const cell = CELL_MAGIC.exec(code);
  if (cell === null) return lex(code, 0, true);
  const lead = cell[1]!;
  const remarks = lex(lead, 0, false).filter(({ kind }) => kind === "comment");
  const head = magicToken(code, lead.length, cell[0].length);
  if (hasPythonBody(cell[2]!, code.slice(head.end))) return [...remarks, head, ...lex(code, head.end, true)];
  return [...remarks, magicToken(code, lead.length, code.length)];
}

function hasPythonBody(magic: string, body: string): boolean {
  if (PYTHON_BODY.has(magic)) return true;
  return !FOREIGN_BODY.has(magic) && parses(maskMagics(body));
}
