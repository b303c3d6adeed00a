import type { Token } from "./tokenize.js";
import { BUILTINS } from "./words.js";

/** Keywords that never start a line inside brackets: where one does, a bracket before it was left open. */
const STATEMENT_START = new Set(
  "import def class return while with try del global nonlocal raise assert pass break continue except finally elif".split(
    " ",
  ),
);

/** Tokens looked ahead at most: what decides stands near, and a line must not be read again from each of its words. */
const LOOK_AHEAD = 128;

/** What is known when the reader comes to a token. */
interface Place {
  /** What is open, innermost last. `def` and `lambda` are lists of parameters, so a name before `=` is no keyword argument. */
  open: ("call" | "group" | "def" | "lambda")[];
  /** How many of these are brackets. */
  brackets: number;
  /** The statement whose module path is being read. */
  path: "from" | "import" | null;
  /** Between `def` and its parameters: how many brackets were open. */
  defining: number | null;
  /** A `match` was seen, so a `case` may follow. */
  matching: boolean;
  /** In the pattern of a `case`, where `_` is no name. */
  pattern: boolean;
  /** Nothing of the statement was read yet. */
  fresh: boolean;
}

/**
 * The names that stand for a variable, a function or a class: no builtins, no attributes, no keywords of calls, no module
 * paths. Reads tokens, so that half-typed and broken code is no obstacle.
 */
export function freeNames(tokens: readonly Token[]): Token[] {
  const code = joinLines(tokens);
  const place: Place = {
    open: [],
    brackets: 0,
    path: null,
    defining: null,
    matching: false,
    pattern: false,
    fresh: true,
  };
  const found: Token[] = [];
  let previous: Token | undefined;
  for (const [at, token] of code.entries()) {
    if (token.kind === "newline") {
      if (place.brackets > 0 && !isLeftOpen(previous, code, at)) continue;
      place.open = [];
      place.brackets = 0;
      startStatement(place);
      previous = undefined;
      continue;
    }
    if (token.kind !== "name") follow(token, previous, place);
    else if (place.fresh && isSoftKeyword(code, at, place)) {
      place.matching = true;
      place.pattern = token.text === "case";
    } else if (isFree(code, at, previous, place)) found.push(token);
    place.fresh &&= token.text === ";" || token.text === ":";
    previous = token;
  }
  return found;
}

/** Without comments, and without the line breaks that a backslash takes away. */
function joinLines(tokens: readonly Token[]): Token[] {
  const code = tokens.filter(({ kind }) => kind !== "comment");
  return code.filter(({ text, kind }, at) => {
    if (text === "\\" && code[at + 1]?.kind === "newline") return false;
    return !(kind === "newline" && code[at - 1]?.text === "\\");
  });
}

function startStatement(place: Place): void {
  place.path = null;
  place.defining = null;
  place.pattern = false;
  place.fresh = true;
}

/** Whether the line after the line break at `at` cannot belong to the brackets that are still open before it. */
function isLeftOpen(previous: Token | undefined, code: readonly Token[], at: number): boolean {
  const next = code[at + 1];
  if (next?.kind === "keyword") {
    if (next.text !== "from") return STATEMENT_START.has(next.text);
    return previous?.text !== "yield" && logicalLine(code, at + 1).some(({ text }) => text === "import");
  }
  return next?.kind === "name" && previous !== undefined && endsOperand(previous);
}

function endsOperand({ kind, text }: Token): boolean {
  return kind === "name" || kind === "number" || kind === "string" || text === ")" || text === "]" || text === "}";
}

function follow({ text, kind }: Token, previous: Token | undefined, place: Place): void {
  if (kind === "keyword") {
    if (text === "lambda") place.open.push("lambda");
    else if (text === "def") place.defining = place.open.length;
    else if (text === "import") place.path = place.path === "from" ? null : "import";
    else if (text === "from" && place.fresh) place.path = "from";
  } else if (kind === "operator") {
    if (text === "(" && place.defining === place.open.length) {
      open(place, "def");
      place.defining = null;
    } else if (text === "(") open(place, previous !== undefined && endsOperand(previous) ? "call" : "group");
    else if (text === "[" || text === "{") open(place, "group");
    else if (text === ")" || text === "]" || text === "}") close(place);
    else if (text === ":" && place.open.at(-1) === "lambda") place.open.pop();
    else if ((text === ":" || text === ";") && place.open.length === 0) startStatement(place);
  }
}

function open(place: Place, bracket: "call" | "group" | "def"): void {
  place.open.push(bracket);
  place.brackets += 1;
}

function close(place: Place): void {
  while (place.open.at(-1) === "lambda") place.open.pop();
  if (place.open.pop() !== undefined) place.brackets -= 1;
}

function isFree(code: readonly Token[], at: number, previous: Token | undefined, place: Place): boolean {
  const { text, start, end } = code[at]!;
  if (BUILTINS.has(text) || previous?.text === "." || (place.pattern && text === "_")) return false;
  // `ur"..."` of Python 2 and `1e` half typed: letters that belong to their neighbour.
  const next = code[at + 1];
  if (next?.kind === "string" && next.start === end) return false;
  if (previous?.kind === "number" && previous.end === start) return false;
  if (place.path === "from" || (place.path === "import" && previous?.text !== "as")) return false;
  return !(
    place.open.at(-1) === "call" &&
    /^[(,]$/.test(previous?.text ?? "") &&
    nextInBrackets(code, at)?.text === "="
  );
}

function nextInBrackets(code: readonly Token[], at: number): Token | undefined {
  return code.slice(at + 1, at + 9).find(({ kind }) => kind !== "newline");
}

/** `match x:` and `case x:` at the start of a statement; anywhere else, and before an operator, they are names. */
function isSoftKeyword(code: readonly Token[], at: number, { matching }: Place): boolean {
  const { text } = code[at]!;
  if (text !== "match" && !(text === "case" && matching)) return false;
  const line = logicalLine(code, at + 1);
  if (line[0] === undefined || /^(?:[=.,:;)\]}]|[-+*/%@&|^]?=|==|!=)$/.test(line[0].text)) return false;
  if (text === "match") return line.at(-1)?.text === ":";
  let depth = 0;
  return line.some(({ text: part }) => {
    depth += depthChange(part);
    return part === ":" && depth === 0;
  });
}

/** The tokens from `at` to the line break that no bracket holds open, as far as is looked ahead. */
function logicalLine(code: readonly Token[], at: number): Token[] {
  const line: Token[] = [];
  let depth = 0;
  for (let next = at; next < code.length && next < at + LOOK_AHEAD; next += 1) {
    const token = code[next]!;
    if (token.kind === "newline" && depth <= 0) break;
    if (token.kind === "newline") continue;
    depth += depthChange(token.text);
    line.push(token);
  }
  return line;
}

function depthChange(text: string): number {
  if (text === "(" || text === "[" || text === "{") return 1;
  return text === ")" || text === "]" || text === "}" ? -1 : 0;
}
