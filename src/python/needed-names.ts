import type { Token } from "./lex.js";
import { isRenamable, nameRoles } from "./name-roles.js";
import { tokenize } from "./tokenize.js";

/** Keywords that start a list of bound names, with the token that ends the list. */
const BINDING_KEYWORDS = new Map([
  ["import", "\n"],
  ["for", "in"],
  ["lambda", ":"],
  ["global", "\n"],
]);
/** Keywords whose next name is bound. */
const BINDS_NEXT_NAME = new Set(["as", "class", "def"]);
/** Tokens that may come directly before a bound name in such a list. */
const BEFORE_BOUND = new Set(["(", ",", "*", "**", "for", "import", "lambda", "global"]);

/**
 * The names that must exist before a cell runs. Names that the cell imports, defines, loops over or takes as parameters
 * do not count, nor names assigned before their first use.
 */
export function neededNames(code: string): Set<string> {
  const all = tokenize(code);
  const roles = nameRoles(all);
  const tokens = all.some(isComment) ? all.filter((token) => !isComment(token)) : all;
  const boundHere = boundNames(tokens);
  const isArgument = findArguments(tokens);
  const seen = new Set<string>();
  const needed = new Set<string>();
  let index = -1;
  for (let at = 0; at < all.length; at += 1) {
    if (isComment(all[at]!)) continue;
    index += 1;
    if (!isRenamable(roles[at])) continue;
    const { text } = all[at]!;
    if (seen.has(text) || boundHere.has(text)) continue;
    seen.add(text);
    if (isArgument[index] || !isAssigned(tokens, index)) needed.add(text);
  }
  return needed;
}

function isComment({ kind }: Token): boolean {
  return kind === "comment";
}

/** The names that statements other than assignments bind. */
function boundNames(tokens: readonly Token[]): Set<string> {
  const bound = new Set<string>();
  for (let at = 0; at < tokens.length; at += 1) {
    const { text, kind } = tokens[at]!;
    if (kind !== "keyword") continue;
    if (BINDS_NEXT_NAME.has(text) && tokens[at + 1]?.kind === "name") bound.add(tokens[at + 1]!.text);
    const end = BINDING_KEYWORDS.get(text) ?? (text === "def" ? ":" : undefined);
    if (end === undefined) continue;
    let open = 0;
    for (let next = at + 1; next < tokens.length; next += 1) {
      const token = tokens[next]!;
      if (open === 0 && (token.text === end || token.kind === "newline")) break;
      // A default value or an annotation follows the name that it belongs to.
      if (token.kind === "name" && BEFORE_BOUND.has(tokens[next - 1]!.text)) bound.add(token.text);
      open += "([{".includes(token.text) ? 1 : ")]}".includes(token.text) ? -1 : 0;
    }
  }
  return bound;
}

/**
 * Whether an assignment has the name as a target, alone or in a tuple, and its value does not use the name. The name
 * must not be an argument.
 */
function isAssigned(tokens: readonly Token[], index: number): boolean {
  let at = index + 1;
  while (continuesTargets(tokens, at)) at += 1;
  if (tokens[at]?.text !== "=") return false;
  const { text } = tokens[index]!;
  for (at += 1; at < tokens.length && tokens[at]!.kind !== "newline"; at += 1) {
    const isAttribute = tokens[at - 1]!.text === ".";
    if (tokens[at]!.text === text && !isAttribute && tokens[at + 1]?.text !== "=") return false;
  }
  return true;
}

/** For each token, whether it is in a call or a subscript; a bracket that a line left open counts as closed. */
function findArguments(tokens: readonly Token[]): readonly boolean[] {
  /** For each open bracket, whether it follows a value. */
  let open: boolean[] = [];
  return tokens.map(({ kind, text }, at) => {
    const before = tokens[at - 1];
    const endsValue = before !== undefined && (before.kind !== "operator" || isCloser(before.text));
    if (kind === "newline" && (tokens[at + 1]?.kind === "keyword" || (endsValue && tokens[at + 1]?.kind === "name")))
      open = [];
    if (isCloser(text)) open.pop();
    const isArgument = open.includes(true);
    if (isOpener(text)) open.push(before?.kind === "name" || (before !== undefined && isCloser(before.text)));
    return isArgument;
  });
}

/** Whether a token can occur between the first target of an assignment and its `=`. */
function continuesTargets(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined) return false;
  if (token.text === "," || token.text === ")" || token.text === "]") return true;
  const before = tokens[at - 1]!.text;
  const isTarget = token.kind === "name" || token.text === "(" || token.text === "[" || token.text === "*";
  return isTarget && (before === "," || before === "*" || isOpener(before));
}

function isOpener(text: string): boolean {
  return text === "(" || text === "[" || text === "{";
}

function isCloser(text: string): boolean {
  return text === ")" || text === "]" || text === "}";
}

/** Attributes of a table whose subscript names columns. */
const LOCATORS = new Set(["loc", "iloc", "at", "iat"]);
const PLAIN_STRING = /^[rRuU]?(["'])(.*)\1$/su;

/** An open bracket. */
interface Bracket {
  /** The method of a call. */
  readonly method: string | null;
  /** Whether strings at this place name columns. */
  namesColumns: boolean;
}

/** Methods of data frames whose first argument names columns, and arguments that name columns. */
const COLUMN_METHODS = new Set("drop drop_duplicates dropna groupby pivot_table pop set_index sort_values".split(" "));
const COLUMN_ARGUMENTS = new Set("by hue on left_on right_on subset x y".split(" "));

/**
 * The columns that a cell reads, as in `df["age"]`, `df[["age", "city"]]` or `df.groupby("city")`. Columns that it
 * assigns first do not count.
 */
export function neededColumns(code: string): Set<string> {
  const tokens = tokenize(code).filter(({ kind }) => kind !== "comment" && kind !== "newline");
  const seen = new Set<string>();
  const needed = new Set<string>();
  const open: Bracket[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    const before = tokens[at - 1];
    const inner = open.at(-1);
    if (text === "[") {
      // `history.history["loss"]` is a result of a library, not a table.
      const isAttribute = tokens[at - 2]?.text === "." && !LOCATORS.has(before!.text);
      const isIndex = (before?.kind === "name" && !isAttribute) || before?.text === "]" || before?.text === ")";
      const isList = before?.text === "[" || before?.text === "(" || before?.text === "=";
      open.push({ method: null, namesColumns: isIndex || (isList && inner?.namesColumns === true) });
    } else if (text === "(") {
      const method = before?.kind === "name" && tokens[at - 2]?.text === "." ? before.text : null;
      open.push({ method, namesColumns: method !== null && COLUMN_METHODS.has(method) });
    } else if (text === "{") open.push({ method: null, namesColumns: false });
    else if (text === "]" || text === ")" || text === "}") open.pop();
    else if (inner?.method != null && text === ",") inner.namesColumns = false;
    else if (inner?.method != null && text === "=") inner.namesColumns = COLUMN_ARGUMENTS.has(before!.text);
    const name = kind === "string" && open.at(-1)?.namesColumns === true ? PLAIN_STRING.exec(text)?.[2] : undefined;
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    const isMade = tokens[at + 1]?.text === "]" && tokens[at + 2]?.text === "=";
    // `df["a"] = df["a"] + 1` also reads the column.
    const isRead = isMade && code.slice(tokens[at]!.end).split("\n", 1)[0]!.includes(text);
    if (!isMade || isRead) needed.add(name);
  }
  return needed;
}
