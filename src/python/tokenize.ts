import { LRUCache } from "lru-cache";
import { lex, magicToken, type Token } from "./lex.js";
import { looksLikePython } from "./looks-like-python.js";
import { ownCopy } from "./subwords.js";

export type { Token, TokenKind } from "./lex.js";

/**
 * Cell magics with a Python body, and those with another body. For unknown magics, the body counts as Python if it
 * looks like Python.
 */
const PYTHON_BODY = new Set("time timeit capture prun memit mprun heat snakeviz python python3".split(" "));
const FOREIGN_BODY = new Set(
  (
    "bash sh shell script cmd system sx html HTML svg SVG latex markdown javascript js perl ruby R julia octave sql bigquery " +
    "writefile file cython pypy python2"
  ).split(" "),
);

/** Number of cached texts. A request reads the typed code and the cells before it a dozen times. */
const MAX_RECENT_CHARACTERS = 48_000;
/** Maximum length of a cached text. Tokens need fifty times the memory of their text. */
const MAX_LENGTH = 8_000;
const recentTokens = new LRUCache<string, readonly Token[]>({
  maxSize: MAX_RECENT_CHARACTERS,
  sizeCalculation: (_, { length }) => Math.max(1, length),
});

/** A quick check: text without these characters has no magic. */
const MAGIC_HINT = /(?:^|\n)[ \t]*[%!?]|=[ \t]*[!%]|\?[ \t]*(?:\n|$)/;
const SPACE = /\s*/y;
const CELL_MAGIC = /%%(\w*)[^\n]*/y;

/**
 * The tokens of any text, even with syntax errors. Joined with the white space between them, they give the text. Magics
 * are recognised without a parser: outside brackets and strings, and not after a backslash, no Python statement or
 * value starts with `%`, `!` or `?`.
 */
export function tokenize(code: string): readonly Token[] {
  const known = recentTokens.get(code);
  if (known !== undefined) return known;
  if (code.length > MAX_LENGTH) return lexAny(code);
  // Copied, because tokens are substrings, and the cache must not keep a whole cell alive.
  const copy = ownCopy(code);
  const tokens = lexAny(copy);
  recentTokens.set(copy, tokens);
  return tokens;
}

function lexAny(code: string): Token[] {
  return MAGIC_HINT.test(code) ? lexCell(code) : lex(code, 0, false);
}

/** The code with its magics replaced by valid Python of the same length and number of lines. */
export function maskMagics(code: string, tokens: readonly Token[] = tokenize(code)): string {
  let masked = "";
  let copiedTo = 0;
  for (const { kind, text, start, end } of tokens) {
    if (kind !== "magic") continue;
    // `0` is both a statement and an expression, so it can replace `!ls` and the right side of `files = !ls`.
    const blank = text.replace(/[^\n]/g, " ");
    masked += code.slice(copiedTo, start) + (/^\?+$/.test(text) ? blank : blank.replace(" ", "0"));
    copiedTo = end;
  }
  return masked + code.slice(copiedTo);
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

/** The position of a possible cell magic. Comments may precede it, as in Colab. */
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
