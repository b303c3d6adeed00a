import { BUILTINS, STATEMENT_KEYWORDS, type Token } from "./lex.js";
/**
 * The role of a name. `free` names are the code's own variables, functions and classes; `imported` names are bound by
 * `from a import b` or `as c`. All other roles are never renamed. `syntax` means no name: `match` as a keyword, `_` in
 * a pattern, letters that belong to the adjacent token.
 */
export type NameRole = "free" | "imported" | "attribute" | "keyword" | "module" | "builtin" | "syntax";

/** Tokens that cannot follow the keywords `match` and `case`. */
const AFTER_NAME = new Set("= . , : ; ) ] } -= += *= /= %= @= &= |= ^= == !=".split(" "));
/** Maximum lookahead in tokens; it bounds the work for any text. */
const MAX_LOOKAHEAD = 128;

/** The state before a token. */
interface State {
  /**
   * The open constructs, innermost last. In `def` and `lambda`, a name before `=` is a parameter, not a keyword
   * argument.
   */
  open: ("call" | "group" | "def" | "lambda")[];
  /** Number of brackets among these constructs. */
  brackets: number;
  /** The current part of an import: the module path or the bound names. */
  importing: "from" | "import" | "names" | null;
  /** Between `def` and its parameters, the number of open brackets; else null. */
  defining: number | null;
  /** Whether a `match` was seen, so that a `case` may follow. */
  matching: boolean;
  /** Whether the token is in the pattern of a `case`, where `_` is no name. */
  pattern: boolean;
  /** Whether the next token is the first of its statement. */
  atStart: boolean;
}

/** Whether renaming the code's own variables would change the name. */
export function isRenamable(role: NameRole | null | undefined): boolean {
  return role === "free" || role === "imported";
}

/** Maximum number of tokens whose roles are cached. Longer texts are rarely read twice. */
const MAX_CACHED_TOKENS = 4_000;
/** Caches roles by list of tokens, because several parts of an answer read the same text. */
const cachedRoles = new WeakMap<readonly Token[], readonly (NameRole | null)[]>();

/** `readNameRoles` with a cache that lives as long as the list of tokens. */
export function nameRoles(tokens: readonly Token[]): readonly (NameRole | null)[] {
  let roles = cachedRoles.get(tokens);
  if (roles === undefined) {
    roles = readNameRoles(tokens);
    if (tokens.length <= MAX_CACHED_TOKENS) cachedRoles.set(tokens, roles);
  }
  return roles;
}

/** The role of every name token, null for other tokens. Reads tokens, so half-typed and broken code has roles, too. */
export function readNameRoles(tokens: readonly Token[]): (NameRole | null)[] {
  const roles: (NameRole | null)[] = new Array(tokens.length).fill(null);
  const { code, indexes } = joinLines(tokens);
  const state: State = {
    open: [],
    brackets: 0,
    importing: null,
    defining: null,
    matching: false,
    pattern: false,
    atStart: true,
  };
  let previous: Token | undefined;
  for (let at = 0; at < code.length; at += 1) {
    const token = code[at]!;
    if (token.kind === "newline") {
      if (state.brackets > 0 && !isLeftOpen(previous, code, at)) continue;
      state.open = [];
      state.brackets = 0;
      startStatement(state);
      previous = undefined;
      continue;
    }
    if (token.kind !== "name") advanceState(token, previous, state);
    else if (state.atStart && isSoftKeyword(code, at, state)) {
      state.matching = true;
      state.pattern = token.text === "case";
      roles[indexes?.[at] ?? at] = "syntax";
    } else roles[indexes?.[at] ?? at] = roleOf(code, at, previous, state);
    state.atStart &&= token.text === ";" || token.text === ":";
    previous = token;
  }
  return roles;
}

/** The tokens without comments and escaped line breaks, and their indexes among all tokens; null if none is left out. */
function joinLines(tokens: readonly Token[]): {
  readonly code: readonly Token[];
  readonly indexes: readonly number[] | null;
} {
  if (!tokens.some(isDropped)) return { code: tokens, indexes: null };
  const code: Token[] = [];
  const indexes: number[] = [];
  let last: Token | undefined;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.kind === "comment") continue;
    if (token.kind === "newline" && last?.text === "\\") {
      code.pop();
      indexes.pop();
    } else {
      code.push(token);
      indexes.push(index);
    }
    last = token;
  }
  return { code, indexes };
}

/** Whether `joinLines` leaves the token out, or may do so. */
function isDropped({ kind, text }: Token): boolean {
  return kind === "comment" || text === "\\";
}

function startStatement(state: State): void {
  state.importing = null;
  state.defining = null;
  state.pattern = false;
  state.atStart = true;
}

/** Whether the line after the line break at `at` cannot belong to the brackets that are still open before it. */
function isLeftOpen(previous: Token | undefined, code: readonly Token[], at: number): boolean {
  const next = code[at + 1];
  if (next?.kind === "keyword") {
    if (next.text !== "from") return STATEMENT_KEYWORDS.has(next.text);
    return previous?.text !== "yield" && logicalLine(code, at + 1).some(({ text }) => text === "import");
  }
  return next?.kind === "name" && previous !== undefined && endsOperand(previous);
}

function endsOperand({ kind, text }: Token): boolean {
  return kind === "name" || kind === "number" || kind === "string" || isCloser(text);
}

function advanceState({ text, kind }: Token, previous: Token | undefined, state: State): void {
  if (kind === "keyword") {
    if (text === "lambda") state.open.push("lambda");
    else if (text === "def") state.defining = state.open.length;
    else if (text === "import") state.importing = state.importing === "from" ? "names" : "import";
    else if (text === "from" && state.atStart) state.importing = "from";
  } else if (kind === "operator") {
    if (text === "(" && state.defining === state.open.length) {
      openConstruct(state, "def");
      state.defining = null;
    } else if (text === "(") openConstruct(state, previous !== undefined && endsOperand(previous) ? "call" : "group");
    else if (isOpener(text)) openConstruct(state, "group");
    else if (isCloser(text)) closeConstruct(state);
    else if (text === ":" && state.open.at(-1) === "lambda") state.open.pop();
    else if ((text === ":" || text === ";") && state.open.length === 0) startStatement(state);
  }
}

function openConstruct(state: State, bracket: "call" | "group" | "def"): void {
  state.open.push(bracket);
  state.brackets += 1;
}

function closeConstruct(state: State): void {
  while (state.open.at(-1) === "lambda") state.open.pop();
  if (state.open.pop() !== undefined) state.brackets -= 1;
}

function roleOf(code: readonly Token[], at: number, previous: Token | undefined, state: State): NameRole {
  const { text, start, end } = code[at]!;
  const { importing, open, pattern } = state;
  if (importing === "from" || (importing === "import" && previous?.text !== "as")) return "module";
  if (previous?.text === ".") return "attribute";
  // The name is the prefix of Python 2's `ur"..."`, or the `e` of a half-typed `1e5`.
  const next = code[at + 1];
  if (next?.kind === "string" && next.start === end) return "syntax";
  if (previous?.kind === "number" && previous.end === start) return "syntax";
  if (pattern && text === "_") return "syntax";
  const isArgument = open.at(-1) === "call" && (previous?.text === "(" || previous?.text === ",");
  if (isArgument && nextInBrackets(code, at)?.text === "=") return "keyword";
  if (BUILTINS.has(text)) return "builtin";
  return importing === null ? "free" : "imported";
}

function nextInBrackets(code: readonly Token[], at: number): Token | undefined {
  for (let next = at + 1; next < at + 9; next += 1) {
    const token = code[next];
    if (token?.kind !== "newline") return token;
  }
  return undefined;
}

/** `match x:` and `case x:` at the start of a statement; anywhere else, and before an operator, they are names. */
function isSoftKeyword(code: readonly Token[], at: number, { matching }: State): boolean {
  const { text } = code[at]!;
  if (text !== "match" && !(text === "case" && matching)) return false;
  const line = logicalLine(code, at + 1);
  if (line[0] === undefined || AFTER_NAME.has(line[0].text)) return false;
  if (text === "match") return line.at(-1)?.text === ":";
  let depth = 0;
  return line.some(({ text: part }) => {
    depth += depthChange(part);
    return part === ":" && depth === 0;
  });
}

/** The tokens from `at` to the next line break outside brackets. */
function logicalLine(code: readonly Token[], at: number): Token[] {
  const line: Token[] = [];
  let depth = 0;
  for (let next = at; next < Math.min(code.length, at + MAX_LOOKAHEAD); next += 1) {
    const token = code[next]!;
    if (token.kind === "newline" && depth <= 0) break;
    if (token.kind === "newline") continue;
    depth += depthChange(token.text);
    line.push(token);
  }
  return line;
}

function depthChange(text: string): number {
  return isOpener(text) ? 1 : isCloser(text) ? -1 : 0;
}

function isOpener(text: string): boolean {
  return text === "(" || text === "[" || text === "{";
}

function isCloser(text: string): boolean {
  return text === ")" || text === "]" || text === "}";
}

/**
 * The names of variables, functions and classes, including imported ones; without builtins, attributes, keyword
 * arguments and module paths.
 */
export function freeNames(tokens: readonly Token[]): Token[] {
  const roles = nameRoles(tokens);
  return tokens.filter((_, at) => isRenamable(roles[at]));
}

/** Whether the token is the name of a call, not of a definition. */
export function isCalled(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  return tokens[at]?.kind === "name" && tokens[at + 1]?.text === "(" && before !== "def" && before !== "class";
}
