import { LRUCache } from "lru-cache";
import { withTree } from "./grammar.js";
import { blankComments, lex, magicToken, type Token } from "./lex.js";
import { looksLikePython } from "./looks-like-python.js";
import { ownCopy } from "./subwords.js";

export type { Token, TokenKind } from "./lex.js";

/** Cell magics that run their body as Python, and those that do not. Of others the body is Python if it looks like it. */
const PYTHON_BODY = new Set("time timeit capture prun memit mprun heat snakeviz python python3".split(" "));
const FOREIGN_BODY = new Set(
  (
    "bash sh shell script cmd system sx html HTML svg SVG latex markdown javascript js perl ruby R julia octave sql bigquery " +
    "writefile file cython pypy python2"
  ).split(" "),
);

/**
 * One request reads the typed code and the cells before it a dozen times. Tokens take fifty times the memory of their
 * text.
 */
const MAX_RECENT_CHARACTERS = 48_000;
/** A longer text would push out all others. */
const MAX_LENGTH = 8_000;
const recent = new LRUCache<string, readonly Token[]>({
  maxSize: MAX_RECENT_CHARACTERS,
  sizeCalculation: (_, { length }) => Math.max(1, length),
});

/** A text without any of these has no magic. */
const MAGIC_HINT = /(?:^|\n)[ \t]*[%!?]|=[ \t]*[!%]|\?[ \t]*(?:\n|$)/;
const SPACE = /\s*/y;
const CELL_MAGIC = /%%(\w*)[^\n]*/y;

/**
 * The tokens of any text, broken or not, in order; together with the white space between them they are the text. A line
 * that starts with `%` can be string formatting. No parser is used: outside brackets and strings, and not after a
 * backslash, no Python starts a statement or a value with `%`, `!` or `?`.
 */
export function tokenize(code: string): readonly Token[] {
  const known = recent.get(code);
  if (known !== undefined) return known;
  if (code.length > MAX_LENGTH) return lexAny(code);
  // A copy: tokens are substrings, and the cache must not keep a whole cell alive.
  const own = ownCopy(code);
  const tokens = lexAny(own);
  recent.set(own, tokens);
  return tokens;
}

function lexAny(code: string): Token[] {
  return MAGIC_HINT.test(code) ? lexCell(code) : lex(code, 0, false);
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
 * Whether a Python parser reads the code without an error. Comments are removed first: a long run of comment lines
 * takes the parser quadratic time.
 */
export function parses(code: string): boolean {
  const bare = code.includes("#") ? blankComments(code, lex(code, 0, false)) : code;
  return withTree(bare, (root) => !root.hasError) ?? false;
}

function lexCell(code: string): Token[] {
  const start = skipRemarks(code);
  CELL_MAGIC.lastIndex = start;
  const cell = CELL_MAGIC.exec(code);
  if (cell === null) return lex(code, 0, true);
  const remarks = lex(code.slice(0, start), 0, false).filter(({ kind }) => kind === "comment");
  const head = magicToken(code, start, start + cell[0].length);
  if (hasPythonBody(cell[1]!, code.slice(head.end))) return [...remarks, head, ...lex(code, head.end, true)];
  return [...remarks, magicToken(code, start, code.length)];
}

/** Where a cell magic would start. Comments may come first: Colab allows them, and cleaning removes them. */
function skipRemarks(code: string): number {
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    SPACE.test(code);
    at = SPACE.lastIndex;
    const end = code[at] === "#" ? code.indexOf("\n", at) : -1;
    if (end === -1) return at;
    at = end + 1;
  }
}

function hasPythonBody(magic: string, body: string): boolean {
  if (PYTHON_BODY.has(magic)) return true;
  return !FOREIGN_BODY.has(magic) && looksLikePython(lex(body, 0, true));
}
