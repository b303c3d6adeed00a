import { isBrokenLine } from "../python/looks-like-python.js";
import type { Token } from "../python/tokenize.js";

type StatementKind =
  | "import"
  | "magic"
  | "def"
  | "class"
  | "loop"
  | "branch"
  | "with"
  | "try"
  | "return"
  | "del"
  | "keyword"
  | "assign-name"
  | "assign-constant"
  | "assign-names"
  | "assign-subscript"
  | "assign-attribute"
  | "augment"
  | "call"
  | "attribute"
  | "subscript"
  | "name"
  | "string"
  | "expression";

/**
 * One statement, or the head of a compound one. `value` is the index of the token after the `=` of an assignment, else
 * 0.
 */
export interface Statement {
  readonly kind: StatementKind;
  readonly tokens: readonly Token[];
  readonly value: number;
  readonly indent: number;
}

const COMPOUND_KINDS: Readonly<Record<string, StatementKind>> = {
  for: "loop",
  while: "loop",
  if: "branch",
  elif: "branch",
  else: "branch",
  try: "try",
  except: "try",
  finally: "try",
  with: "with",
  def: "def",
  class: "class",
};
const SIMPLE_KINDS: Readonly<Record<string, StatementKind>> = {
  import: "import",
  from: "import",
  return: "return",
  yield: "return",
  del: "del",
  pass: "keyword",
  break: "keyword",
  continue: "keyword",
  global: "keyword",
  nonlocal: "keyword",
  assert: "keyword",
  raise: "keyword",
};
const LITERALS = new Set(["None", "True", "False"]);
const AUGMENTED = /^(?:\*\*|\/\/|>>|<<|[-+*/%@&|^])=$/;

/** Classifies a statement by its form. */
function classify(tokens: readonly Token[], indent: number): Statement {
  const first = tokens[tokens[0]!.text === "async" && tokens.length > 1 ? 1 : 0]!;
  const of = (kind: StatementKind, value = 0): Statement => ({ kind, tokens, value, indent });
  if (first.kind === "keyword") {
    const kind = SIMPLE_KINDS[first.text] ?? COMPOUND_KINDS[first.text];
    if (kind !== undefined) return of(kind);
  }
  if (first.kind === "magic") return of("magic");
  if (first.text === "@") return of("keyword");
  const target = findTarget(tokens);
  return target === null ? of(expressionKind(tokens)) : of(targetKind(tokens, target), target.equals + 1);
}

/** The last `=` outside brackets (in `a = b = c` the value is `c`), and whether there is a comma before it. */
function findTarget(tokens: readonly Token[]): { equals: number; several: boolean } | null {
  let depth = 0;
  let comma = false;
  let found: { equals: number; several: boolean } | null = null;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === "keyword" && text === "lambda") break;
    if (kind !== "operator") continue;
    depth += depthChange(text);
    if (depth > 0) continue;
    if (text === ",") comma = true;
    else if (text === "=" || AUGMENTED.test(text)) found = { equals: index, several: comma };
  }
  return found;
}

function targetKind(
  tokens: readonly Token[],
  { equals, several }: { equals: number; several: boolean },
): StatementKind {
  if (tokens[equals]!.text !== "=") return "augment";
  if (several) return "assign-names";
  if (tokens[equals - 1]?.text === "]") return "assign-subscript";
  if (tokens[equals - 2]?.text === ".") return "assign-attribute";
  return isConstant(tokens, equals + 1) ? "assign-constant" : "assign-name";
}

/** Whether the value is a literal: numbers, strings, and non-empty lists of them. */
function isConstant(tokens: readonly Token[], from: number): boolean {
  let filled = false;
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === "name" || kind === "magic" || (kind === "keyword" && !LITERALS.has(text))) return false;
    filled ||= kind !== "operator";
  }
  return filled;
}

function expressionKind(tokens: readonly Token[]): StatementKind {
  const last = tokens.at(-1)!;
  if (last.text === ")" && tokens.length > 1) return tokens[0]!.text === "(" ? "expression" : "call";
  if (last.text === "]") return tokens[0]!.text === "[" ? "expression" : "subscript";
  if (tokens.length === 1) return last.kind === "name" ? "name" : last.kind === "string" ? "string" : "expression";
  return tokens.at(-2)!.text === "." && last.kind === "name" ? "attribute" : "expression";
}

/** Change of the nesting depth. */
function depthChange(text: string): number {
  if (text === "(" || text === "[" || text === "{") return 1;
  return text === ")" || text === "]" || text === "}" ? -1 : 0;
}

/** A physical line that could be Python: its tokens, and the column of the first token. */
interface CodeLine {
  readonly tokens: readonly Token[];
  readonly indent: number;
}

/**
 * The lines that could be Python. Prose, shell commands and corrupted lines are left out: their apparent calls mean
 * nothing, and their brackets would include the following lines.
 */
export function readLines(code: string, tokens: readonly Token[]): { lines: CodeLine[]; broken: Token[][] } {
  const lines: CodeLine[] = [];
  const broken: Token[][] = [];
  let line: Token[] = [];
  const close = () => {
    if (line.length > 0) {
      if (isBrokenLine(line)) broken.push(line);
      else lines.push({ tokens: line, indent: columnOf(code, line[0]!.start) });
    }
    line = [];
  };
  for (const token of tokens) {
    if (token.kind === "newline") close();
    else if (token.kind !== "comment") line.push(token);
  }
  close();
  return { lines, broken };
}

function columnOf(code: string, offset: number): number {
  return offset - (code.lastIndexOf("\n", offset - 1) + 1);
}

/** Joins lines to statements and splits them at semicolons and after the colon of `if x: y`. */
export function readStatements(lines: readonly CodeLine[]): Statement[] {
  const statements: Statement[] = [];
  let open: Token[] = [];
  let indent = 0;
  let depth = 0;
  for (const line of lines) {
    if (open.length > 0 && (depth <= 0 || startsAnew(line, indent))) {
      split(open, indent, statements);
      open = [];
    }
    if (open.length === 0) {
      indent = line.indent;
      depth = 0;
    }
    for (const token of line.tokens) {
      if (token.kind === "operator") depth += depthChange(token.text);
      open.push(token);
    }
    if (open.at(-1)!.text === "\\") {
      open.pop();
      depth = Math.max(depth, 1);
    }
  }
  if (open.length > 0) split(open, indent, statements);
  return statements;
}

/**
 * Ends an unclosed bracket before a line that starts with a statement keyword and is not indented deeper. Otherwise the
 * bracket would include the rest of the cell.
 */
function startsAnew({ tokens, indent }: CodeLine, statementIndent: number): boolean {
  const [first, second] = tokens;
  if (indent > statementIndent || first === undefined) return false;
  if (first.kind === "keyword") return first.text in SIMPLE_KINDS || first.text in COMPOUND_KINDS;
  return first.kind === "name" && (second?.text === "=" || second?.text === ".");
}

function split(tokens: readonly Token[], indent: number, statements: Statement[]): void {
  let depth = 0;
  let from = 0;
  const close = (to: number) => {
    if (to > from) statements.push(classify(tokens.slice(from, to), indent));
    from = to + 1;
  };
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "operator") continue;
    depth += depthChange(text);
    if (depth > 0) continue;
    if (text === ";") close(index);
    else if (text === ":" && isCompound(tokens, from) && !lambdaBefore(tokens, from, index)) close(index);
  }
  close(tokens.length);
}

function isCompound(tokens: readonly Token[], from: number): boolean {
  const first = tokens[from]!;
  return first.kind === "keyword" && (first.text in COMPOUND_KINDS || first.text === "async");
}

function lambdaBefore(tokens: readonly Token[], from: number, index: number): boolean {
  for (let at = index - 1; at >= from; at -= 1) {
    if (tokens[at]!.text === "lambda") return true;
    if (tokens[at]!.text === ":") return false;
  }
  return false;
}

/** Printing functions: their arguments are shown like bare expressions. */
const PRINTERS: ReadonlySet<string> = new Set(["print", "display"]);
const SHOWN_KINDS: ReadonlySet<string> = new Set(["call", "attribute", "subscript", "expression"]);

/** Whether a statement shows the value of one of these attributes or methods: `df.shape`, `print(df.head())`. */
export function showsWord(
  { statements }: { readonly statements: readonly Statement[] },
  words: ReadonlySet<string>,
): boolean {
  return statements.some((statement) => SHOWN_KINDS.has(statement.kind) && hasWord(statement, words));
}

/** Whether the result of one of these methods is assigned: `df = df.dropna()`, not `x = f(df.dropna())`. */
export function assignsWord(
  { statements }: { readonly statements: readonly Statement[] },
  words: ReadonlySet<string>,
): boolean {
  return statements.some((statement) => statement.kind.startsWith("assign") && hasWord(statement, words));
}

function hasWord({ tokens, value }: Statement, words: ReadonlySet<string>): boolean {
  const prints = PRINTERS.has(tokens[value]?.text ?? "") && tokens[value + 1]?.text === "(";
  let depth = prints ? -1 : 0;
  for (let at = value; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === "operator") depth += depthChange(text);
    else if (depth === 0 && kind === "name" && tokens[at - 1]?.text === "." && words.has(text)) return true;
  }
  return false;
}
