import { scanString } from "./strings.js";
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

const SPACE = /[^\S\n]+/y;
/** Matched in pieces, because a name of ten million non-Latin letters would overflow the regex engine's stack. */
const NAME = /[A-Za-z_\p{ID_Start}][\w\p{ID_Continue}]{0,999}/uy;
const REST_OF_NAME = /[\w\p{ID_Continue}]{1,1000}/uy;
const NUMBER =
  /0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJlL]?/y;
const OPERATOR =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|!=|->|:=|==|<=|>=|<>|\*\*|\/\/|>>|<<|[-+*/%@&|^]=|[-+*/%@&|^~<>=.,:;()[\]{}!?\\`$]/y;
const MAY_OPEN_STRING = new Set("rRbBuUfFtT");
/** The length of the longest keyword. */
const MAX_KEYWORD = 8;

const LINE_MAGIC = /[ \t]*(?:[!?]|%(?![ \t]*[=\d]))/y;
/** Inside brackets `%` is an operator, but a line that starts with `!` is still a shell command. */
const SHELL_MAGIC = /[ \t]*!(?!=)/y;
const ASSIGNED_MAGIC = /[ \t]*(?:!(?!=)|%[A-Za-z_])/y;
const HELP_LINE = /[ \t]*[\w.*]+(?=\?{1,2}[ \t]*(?:\n|$))/y;
const HELP_MARK = /\?+/y;

let lexed = 0;

/** Number of tokens read by this thread; a test limits the number per answer. */
export function countLexed(): number {
  return lexed;
}

/**
 * The tokens of `code` from `from` on. `magics` says whether lines that look like IPython magics are read as magics.
 */
export function lex(code: string, from: number, magics: boolean): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let lineStart = magics;
  let helpMark = -1;
  let at = from;
  while (at < code.length) {
    const magic = magics ? magicEnd() : -1;
    if (magic !== -1) {
      tokens.push(magicToken(code, at, magic));
      at = tokens.at(-1)!.end;
      lineStart = false;
      continue;
    }
    const kind = readKind(code, at);
    lineStart = magics && kind === "newline" && !continuesLine(code, tokens.at(-1), at);
    if (kind !== null) tokens.push({ kind, text: code.slice(at, readEnd), start: at, end: readEnd });
    if (kind === "operator") depth = depthAfter(depth, code[at]!);
    at = readEnd;
  }
  lexed += tokens.length;
  return tokens;

  /** The end of the magic that starts at `at`; -1 if there is none. */
  function magicEnd(): number {
    if (at === helpMark) return endOf(HELP_MARK, code, at);
    if (lineStart) {
      // In `df.head?`, only the question mark is the magic.
      helpMark = depth === 0 ? endOf(HELP_LINE, code, at) : -1;
      return helpMark === -1 ? lineEndOf(depth === 0 ? LINE_MAGIC : SHELL_MAGIC, code, at) : -1;
    }
    return depth === 0 && tokens.at(-1)?.text === "=" ? lineEndOf(ASSIGNED_MAGIC, code, at) : -1;
  }
}

/** Comments become spaces, so that all offsets stay valid. */
export function blankComments(code: string, tokens: readonly Token[]): string {
  let blanked = "";
  let copiedTo = 0;
  for (const { kind, start, end } of tokens) {
    if (kind !== "comment") continue;
    blanked += code.slice(copiedTo, start) + " ".repeat(end - start);
    copiedTo = end;
  }
  return blanked + code.slice(copiedTo);
}

/** After a backslash no new line starts, so `% name` is string formatting. */
function continuesLine(code: string, last: Token | undefined, newline: number): boolean {
  return last?.text === "\\" && last.end === (code[newline - 1] === "\r" ? newline - 1 : newline);
}

/** A magic does not include surrounding spaces, so cleaning may remove them. */
export function magicToken(code: string, from: number, to: number): Token {
  const text = code.slice(from, to).trim();
  const start = code.indexOf(text, from);
  return { kind: "magic", text, start, end: start + text.length };
}

/** Set by `readKind`. Returning a pair for each token would double the time of the hottest loop. */
let readEnd = 0;

/**
 * The classes of ASCII characters, by the kind of token that they may start. Rare characters are `OTHER`, like all that
 * are not ASCII; patterns handle them.
 */
const OTHER = 0;
const SPACES = 1;
const LETTER = 2;
const DIGIT = 3;
/** Operators of one character, and characters that may start a longer one. */
const SINGLE = 4;
const OPERATORS = 5;
const QUOTE = 6;

const CLASSES = new Uint8Array(128);
for (const [kind, characters] of [
  [SPACES, " \t\r\f\v"],
  [LETTER, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"],
  [DIGIT, "0123456789"],
  [SINGLE, ",;()[]{}~?\\`$"],
  [OPERATORS, "-+*/%@&|^<>=:!"],
  [QUOTE, "\"'"],
] as const)
  for (const character of characters) CLASSES[character.charCodeAt(0)] = kind;

const NEWLINE = 10;
const HASH = 35;
const DOT = 46;

/** The class of the character at `at`: `OTHER` for one that is not ASCII, and -1 at the end of the text. */
function classAt(code: string, at: number): number {
  const char = code.charCodeAt(at);
  return char < 128 ? CLASSES[char]! : at < code.length ? OTHER : -1;
}

/** The kind of the token that starts at `at`; its end is stored in `readEnd`. Null for white space. */
function readKind(code: string, at: number): TokenKind | null {
  const char = code.charCodeAt(at);
  if (char === NEWLINE) return upTo("newline", at + 1);
  switch (char < 128 ? CLASSES[char] : OTHER) {
    case SPACES: {
      let end = at + 1;
      while (classAt(code, end) === SPACES) end += 1;
      if (code.charCodeAt(end) >= 128) matchesAt(SPACE, code, at);
      else readEnd = end;
      return null;
    }
    case LETTER:
      if (mayOpenString(code, at)) {
        const string = scanString(code, at);
        if (string !== null) return upTo("string", string.end);
      }
      return readName(code, at);
    case SINGLE:
      return upTo("operator", at + 1);
    case OPERATORS:
      // Only these characters can be the second character of a longer operator.
      if (!"=<>*/".includes(code[at + 1] ?? " ")) return upTo("operator", at + 1);
      matchesAt(OPERATOR, code, at);
      return "operator";
    case QUOTE:
      return upTo("string", scanString(code, at)!.end);
    case DIGIT: {
      let end = at + 1;
      while (classAt(code, end) === DIGIT) end += 1;
      const next = code.charCodeAt(end);
      if (next !== DOT && (next >= 128 || CLASSES[next] !== LETTER)) return upTo("number", end);
      matchesAt(NUMBER, code, at);
      return "number";
    }
  }
  if (char === HASH) {
    const end = code.indexOf("\n", at);
    return upTo("comment", end === -1 ? code.length : end);
  }
  if (char === DOT) {
    if (classAt(code, at + 1) !== DIGIT) return upTo("operator", code.startsWith("...", at) ? at + 3 : at + 1);
    matchesAt(NUMBER, code, at);
    return "number";
  }
  if (matchesAt(SPACE, code, at)) return null;
  if (matchesAt(NAME, code, at)) return readName(code, at);
  // Any other character, such as foreign punctuation or half an emoji, is a token of its own.
  return upTo("other", at + (code.codePointAt(at)! > 0xffff ? 2 : 1));
}

function readName(code: string, at: number): TokenKind {
  let end = at;
  for (let kind = classAt(code, end); kind === LETTER || kind === DIGIT; kind = classAt(code, end)) end += 1;
  readEnd = end;
  if (code.charCodeAt(end) >= 128) {
    matchesAt(NAME, code, at);
    while (readEnd - at >= 1000 && matchesAt(REST_OF_NAME, code, readEnd));
  }
  return readEnd - at <= MAX_KEYWORD && KEYWORDS.has(code.slice(at, readEnd)) ? "keyword" : "name";
}

/** Whether the letter may start the prefix of a string: one of the next two characters is a quote. */
function mayOpenString(code: string, at: number): boolean {
  if (!MAY_OPEN_STRING.has(code[at]!)) return false;
  return classAt(code, at + 1) === QUOTE || classAt(code, at + 2) === QUOTE;
}

function upTo(kind: TokenKind, end: number): TokenKind {
  readEnd = end;
  return kind;
}

function matchesAt(pattern: RegExp, code: string, at: number): boolean {
  pattern.lastIndex = at;
  if (!pattern.test(code)) return false;
  readEnd = pattern.lastIndex;
  return true;
}

function endOf(pattern: RegExp, code: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(code) ? pattern.lastIndex : -1;
}

/** The end of the line that the pattern matches; a backslash continues a shell command on the next line. */
function lineEndOf(pattern: RegExp, code: string, at: number): number {
  const start = endOf(pattern, code, at);
  if (start === -1) return -1;
  let end = code.indexOf("\n", start);
  while (end > start && code[end - 1] === "\\") end = code.indexOf("\n", end + 1);
  return end === -1 ? code.length : end;
}

function depthAfter(depth: number, char: string): number {
  if (char === "(" || char === "[" || char === "{") return depth + 1;
  return char === ")" || char === "]" || char === "}" ? Math.max(0, depth - 1) : depth;
}

/** Python's reserved words. Soft keywords (`match`, `case`, `type`, `_`) are names wherever they do not start a statement, so they are not here. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** The `STATEMENT_KEYWORDS` with which the ranking weights were fitted. */
export const RANKED_STATEMENT_KEYWORDS: ReadonlySet<string> = new Set(
  "import def class return while with try del raise assert pass break continue".split(" "),
);
/**
 * Keywords that start a statement and never a line inside brackets. Such a line shows that an earlier bracket was left
 * open.
 */
export const STATEMENT_KEYWORDS: ReadonlySet<string> = new Set([
  ...RANKED_STATEMENT_KEYWORDS,
  ..."global nonlocal except finally elif".split(" "),
]);

/** The public names of Python's `builtins` module, with those of Python 2 that notebooks still use. */
export const BUILTINS: ReadonlySet<string> = new Set(
  (
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits " +
    "delattr dict dir display divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash " +
    "help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open " +
    "ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type " +
    "vars zip __import__ __name__ __doc__ __file__ __build_class__ __debug__ __loader__ __package__ __spec__ Ellipsis NotImplemented " +
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError " +
    "BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError " +
    "ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup " +
    "FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning " +
    "IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError " +
    "ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning " +
    "PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning " +
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError " +
    "UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning " +
    "UserWarning ValueError Warning ZeroDivisionError basestring long raw_input reduce unichr unicode xrange"
  ).split(" "),
);
