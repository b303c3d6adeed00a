import { StreamLanguage, type StringStream } from "@codemirror/language";

/** The quotes of a string that continues on the next line; null outside strings. */
interface State {
  quote: string | null;
  /** Whether the last token was `def` or `class`. */
  isDefining: boolean;
  /** Number of open brackets. */
  depth: number;
  /** The indentation of the last line of code, and whether it ends with a colon. */
  indent: number;
  opensBlock: boolean;
}

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case".split(
    " ",
  ),
);
const CONSTANTS = new Set(["True", "False", "None"]);
const NUMBER = /^(?:0[xob][\da-f_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?j?)/i;
const QUOTE = /^(?:[rbuf]{0,2})("""|'''|"|')/i;
const UNIT = 4;

/**
 * A Python mode for the editor and for code on cards. It only highlights and indents. A full grammar would add a fifth
 * to the size of the page.
 */
export const pythonMode = StreamLanguage.define<State>({
  name: "python",
  startState: () => ({ quote: null, isDefining: false, depth: 0, indent: 0, opensBlock: false }),
  token(stream, state) {
    if (state.quote !== null) return readString(stream, state);
    if (stream.sol() && !/^\s*(#|$)/.test(stream.string)) {
      if (state.depth === 0) state.indent = stream.indentation();
      state.opensBlock = false;
    }
    if (stream.eatSpace()) return null;
    if (stream.sol() && stream.match(/^[%!].*/)) return "meta";
    if (stream.match(/^#.*/)) return "comment";
    const quote = stream.match(QUOTE);
    if (quote !== null && quote !== true) {
      state.quote = (quote as RegExpMatchArray)[1]!;
      return readString(stream, state);
    }
    state.opensBlock = false;
    if (stream.match(NUMBER)) return "number";
    if (stream.match(/^@[\w.]+/)) return "meta";
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) return readName(stream, state);
    const char = stream.next()!;
    if ("([{".includes(char)) state.depth += 1;
    if (")]}".includes(char)) state.depth = Math.max(0, state.depth - 1);
    state.opensBlock = char === ":" && state.depth === 0;
    if ("()[]{}".includes(char)) return "bracket";
    return ",:;.".includes(char) ? "punctuation" : "operator";
  },
  indent({ indent, opensBlock, depth, quote }, textAfter) {
    if (quote !== null) return null;
    const closes = /^\s*(?:[)\]}]|(?:elif|else|except|finally)\b)/.test(textAfter);
    const deeper = opensBlock || depth > 0 ? UNIT : 0;
    return Math.max(0, indent + deeper - (closes ? UNIT : 0));
  },
  languageData: { commentTokens: { line: "#" } },
});

function readString(stream: StringStream, state: State): string {
  const quote = state.quote!;
  while (!stream.eol()) {
    if (stream.match("\\")) stream.next();
    else if (stream.match(quote)) {
      state.quote = null;
      return "string";
    } else stream.next();
  }
  // A string continues on the next line only with triple quotes or a backslash at the line's end.
  if (quote.length === 1 && !stream.string.endsWith("\\")) state.quote = null;
  return "string";
}

function readName(stream: StringStream, state: State): string {
  const name = stream.current();
  if (state.isDefining) {
    state.isDefining = false;
    return "variableName.definition";
  }
  if (CONSTANTS.has(name)) return "bool";
  if (KEYWORDS.has(name)) {
    state.isDefining = name === "def" || name === "class";
    return "keyword";
  }
  const isMember = stream.string[stream.start - 1] === ".";
  return isMember ? "propertyName" : "variableName";
}
