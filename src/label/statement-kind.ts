import type { Token } from "../python/tokenize.js";

export type StatementKind =
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

/** One statement, or the head of a compound one. `value` is where the right side of an assignment starts, else `from`. */
export interface Statement {
  readonly kind: StatementKind;
  readonly tokens: readonly Token[];
  readonly value: number;
  readonly indent: number;
}

export const COMPOUND: Readonly<Record<string, StatementKind>> = {
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
export const SIMPLE: Readonly<Record<string, StatementKind>> = {
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

/** What the statement of these tokens does, by its form alone. */
export function classify(tokens: readonly Token[], indent: number): Statement {
  const first = tokens[tokens[0]!.text === "async" && tokens.length > 1 ? 1 : 0]!;
  const of = (kind: StatementKind, value = 0): Statement => ({ kind, tokens, value, indent });
  if (first.kind === "keyword") {
    const kind = SIMPLE[first.text] ?? COMPOUND[first.text];
    if (kind !== undefined) return of(kind);
  }
  if (first.kind === "magic") return of("magic");
  if (first.text === "@") return of("keyword");
  const target = findTarget(tokens);
  return target === null ? of(expressionKind(tokens)) : of(targetKind(tokens, target), target.equals + 1);
}

/** The last `=` outside brackets (in `a = b = c` the value is `c`), and whether a comma stands before it. */
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

/** Whether the value is written out: numbers, strings, and lists of them that are not empty. */
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

/** What a bracket does to the depth of nesting. */
export function depthChange(text: string): number {
  if (text === "(" || text === "[" || text === "{") return 1;
  return text === ")" || text === "]" || text === "}" ? -1 : 0;
}
