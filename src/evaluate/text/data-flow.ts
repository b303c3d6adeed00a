import { orderOfSet } from "../published/python-set-order.js";
import type { SyntaxNode, SyntaxTree } from "./syntax-tree.js";

/** One value and its sources, with variables numbered in order of appearance: `computed 1 <- 0 2`. */
export type Flow = string;

/** A use of a value: its token, and the tokens from which the value came. */
interface Edge {
  readonly name: string;
  readonly token: number;
  readonly how: "comes" | "computed";
  readonly sources: readonly string[];
  readonly from: readonly number[];
}

/** Variable -> the tokens that last assigned it; several after branches. */
type Scope = ReadonlyMap<string, readonly number[]>;

interface ReadResult {
  readonly edges: readonly Edge[];
  readonly scope: Scope;
}

/** Loop bodies are read twice, because their first lines may use values that their last lines assign. */
const PASSES = 2;
const NO_FLOW: ReadResult = { edges: [], scope: new Map() };

/**
 * The data flow of a cell as the package codebleu counts it (Ren et al. 2020, after GraphCodeBERT): every value with the
 * values that it comes or is computed from. Isolated values are left out. The package's quirks are kept on purpose: see
 * docs/reference/metrics.md.
 */
export function dataFlow(tree: SyntaxTree): Flow[] {
  const tokens = readTokens(tree);
  const edges = byToken(readOrGiveUp(tree.root, tokens).edges);
  const used = new Set(edges.flatMap(({ token, from }) => (from.length > 0 ? [token, ...from] : [])));
  const linked = edges.filter(({ token }) => used.has(token));
  return normalise(mergeEdges(linked, ({ token }) => String(token)));
}

/** As in the package, a missing token means that the whole cell has no data flow. */
class MissingPart extends Error {}

function readOrGiveUp(root: SyntaxNode, tokens: Tokens): ReadResult {
  try {
    return readNode(root, new Map(), tokens);
  } catch (error) {
    if (error instanceof MissingPart) return NO_FLOW;
    throw error;
  }
}

interface Token {
  readonly number: number;
  readonly text: string;
}

/** Key of a token: its start and end. The last of several empty tokens at one position wins. */
type Tokens = ReadonlyMap<string, Token>;

const placeOf = ({ start, end }: SyntaxNode): string => `${start} ${end}`;

/** The token of a node. There is none for a part of a string, which the package reads when it pairs `a.b = "c"`. */
function tokenOf(node: SyntaxNode, tokens: Tokens): Token {
  const token = tokens.get(placeOf(node));
  if (token === undefined) throw new MissingPart(`${node.type} is not a token`);
  return token;
}

/** The leaves in order; a string counts as one leaf, comments are skipped. */
function readTokens({ code, root }: SyntaxTree): Tokens {
  const tokens = new Map<string, Token>();
  const textOf = createTextReader(code);
  let number = 0;
  const visit = (node: SyntaxNode) => {
    if (isToken(node)) {
      tokens.set(placeOf(node), { number, text: textOf(node) });
      number += 1;
    } else for (const child of node.children) visit(child);
  };
  visit(root);
  return tokens;
}

/**
 * The text of a token without line breaks. The package counts columns in bytes but cuts by characters, so after a multi-byte
 * character it reads shifted text; so do we.
 */
function createTextReader(code: string): (node: SyntaxNode) => string {
  const plain = ({ start, end }: SyntaxNode) => code.slice(start, end).replaceAll("\n", "");
  if (/^[\x00-\x7f]*$/.test(code)) return plain;
  const lines = code.split("\n");
  const characters = lines.map((line) => [...line]);
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  const pointOf = (index: number): [row: number, column: number] => {
    const row = starts.findLastIndex((from) => from <= index);
    return [row, Buffer.byteLength(code.slice(starts[row], index))];
  };
  return (node) => {
    const [firstRow, from] = pointOf(node.start);
    const [lastRow, to] = pointOf(node.end);
    if (firstRow === lastRow) return characters[firstRow]!.slice(from, to).join("");
    const middle = lines.slice(firstRow + 1, lastRow).join("");
    return characters[firstRow]!.slice(from).join("") + middle + characters[lastRow]!.slice(0, to).join("");
  };
}

const isToken = ({ type, children }: SyntaxNode): boolean =>
  type !== "comment" && (children.length === 0 || type === "string");

/** Keywords and punctuation have no value; their type equals their text. */
const isValue = (node: SyntaxNode, tokens: Tokens): boolean =>
  isToken(node) && node.type !== tokenOf(node, tokens).text;

function readNode(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  if (isToken(node)) return readToken(node, scope, tokens);
  switch (node.type) {
    case "default_parameter":
      return readDefault(node, scope, tokens);
    case "assignment":
    case "augmented_assignment":
      return optionalChild(node, "right") === null ? { edges: [], scope } : readAssignment(node, scope, tokens);
    case "for_in_clause":
      return assignPairs([[requireChild(node, "left"), node.children.at(-1)!]], scope, tokens);
    case "if_statement":
      return readBranches(node, scope, tokens);
    case "for_statement":
    case "while_statement":
      return readLoop(node, scope, tokens);
    default: {
      // The `for` clause of a comprehension comes after the expression that uses its variable.
      const isClause = ({ type }: SyntaxNode) => type === "for_in_clause";
      const children = [...node.children.filter(isClause), ...node.children.filter((one) => !isClause(one))];
      return readAll(children, scope, tokens);
    }
  }
}

function readAll(nodes: readonly SyntaxNode[], scope: Scope, tokens: Tokens): ReadResult {
  const edges: Edge[] = [];
  let now = scope;
  for (const node of nodes) {
    const part = readNode(node, now, tokens);
    edges.push(...part.edges);
    now = part.scope;
  }
  return { edges: byToken(edges), scope: now };
}

function readToken(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  if (!isValue(node, tokens)) return { edges: [], scope };
  const { text: name, number: token } = tokenOf(node, tokens);
  const known = scope.get(name);
  if (known !== undefined) return { edges: [{ name, token, how: "comes", sources: [name], from: known }], scope };
  const edges = [{ name, token, how: "comes", sources: [], from: [] } as const];
  return { edges, scope: node.type === "identifier" ? withAssignment(scope, name, token) : scope };
}

function readDefault(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  const names = valuesIn(requireChild(node, "name"), tokens);
  const valueNode = optionalChild(node, "value");
  const value = valueNode === null ? { edges: [], scope } : readNode(valueNode, scope, tokens);
  const edges = [...value.edges];
  let now: Scope = value.scope;
  for (const { text: name, number: token } of names) {
    if (valueNode === null) edges.push({ name, token, how: "comes", sources: [], from: [] });
    else {
      for (const each of valuesIn(valueNode, tokens)) {
        edges.push({ name, token, how: "comes", sources: [each.text], from: [each.number] });
      }
    }
    now = withAssignment(now, name, token);
  }
  return { edges: byToken(edges), scope: now };
}

/**
 * If both sides have the same number of parts, they are paired. Otherwise every name on the left depends on the whole
 * right side.
 */
function readAssignment(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  const [left, right] = [requireChild(node, "left"), requireChild(node, "right")];
  const [lefts, rights] = [left, right].map((side) => side.children.filter(({ type }) => type !== ","));
  const isPaired = lefts!.length === rights!.length && lefts!.length > 0;
  const pairs = isPaired ? lefts!.map((one, at) => [one, rights![at]!] as const) : [[left, right] as const];
  return assignPairs(pairs, scope, tokens);
}

function assignPairs(pairs: readonly (readonly [SyntaxNode, SyntaxNode])[], scope: Scope, tokens: Tokens): ReadResult {
  const values = readAll(
    pairs.map(([, value]) => value),
    scope,
    tokens,
  );
  const edges = [...values.edges];
  let now = values.scope;
  for (const [target, value] of pairs) {
    const found = valuesIn(value, tokens);
    const sources = found.map(({ text }) => text);
    const from = found.map(({ number }) => number);
    for (const { text: name, number: token } of valuesIn(target, tokens)) {
      edges.push({ name, token, how: "computed", sources, from });
      now = withAssignment(now, name, token);
    }
  }
  return { edges: byToken(edges), scope: now };
}

function readBranches(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  const edges: Edge[] = [];
  const scopes: Scope[] = [];
  let first = scope;
  for (const part of node.children) {
    const isOther = part.type === "elif_clause" || part.type === "else_clause";
    const { edges: found, scope: after } = readNode(part, isOther ? scope : first, tokens);
    edges.push(...found);
    if (isOther) scopes.push(after);
    else first = after;
  }
  scopes.push(first);
  // Without an `else`, possibly no branch is executed.
  if (!node.children.some(({ type }) => type.includes("else"))) scopes.push(scope);
  return { edges: byToken(edges), scope: mergeScopes(scopes) };
}

function readLoop(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  const edges: Edge[] = [];
  let now = scope;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const part = node.type === "while_statement" ? readAll(node.children, now, tokens) : readFor(node, now, tokens);
    edges.push(...part.edges);
    now = part.scope;
  }
  return { edges: byToken(mergeEdges(edges, ({ name, token, how }) => `${token} ${how} ${name}`)), scope: now };
}

function readFor(node: SyntaxNode, scope: Scope, tokens: Tokens): ReadResult {
  const head = readAssignment(node, scope, tokens);
  const last = node.children.at(-1)!;
  if (last.type !== "block") return head;
  const body = readNode(last, head.scope, tokens);
  return { edges: [...head.edges, ...body.edges], scope: body.scope };
}

const optionalChild = (node: SyntaxNode, field: string): SyntaxNode | null =>
  node.children.find((one) => one.field === field) ?? null;

function requireChild(node: SyntaxNode, field: string): SyntaxNode {
  const found = optionalChild(node, field);
  if (found === null) throw new MissingPart(`${node.type} has no ${field}`);
  return found;
}

function valuesIn(node: SyntaxNode, tokens: Tokens): Token[] {
  if (isToken(node)) return isValue(node, tokens) ? [tokenOf(node, tokens)] : [];
  return node.children.flatMap((one) => valuesIn(one, tokens));
}

function withAssignment(scope: Scope, name: string, token: number): Scope {
  return new Map(scope).set(name, [token]);
}

/** After branches, a variable may have its value from any of them. */
function mergeScopes(scopes: readonly Scope[]): Scope {
  const all = new Map<string, Set<number>>();
  for (const scope of scopes) {
    for (const [name, tokens] of scope) {
      const known = all.get(name) ?? new Set();
      for (const token of tokens) known.add(token);
      all.set(name, known);
    }
  }
  return new Map([...all].map(([name, tokens]) => [name, [...tokens].sort((a, b) => a - b)]));
}

/** Merges edges with the same key into one edge with all sources, in the order of a Python set. */
function mergeEdges(edges: readonly Edge[], keyOf: (edge: Edge) => string): Edge[] {
  const merged = new Map<string, Edge>();
  for (const edge of edges) {
    const known = merged.get(keyOf(edge));
    if (known === undefined) merged.set(keyOf(edge), edge);
    else {
      const sources = orderOfSet([...known.sources, ...edge.sources]);
      merged.set(keyOf(edge), { ...edge, sources, from: [...new Set([...known.from, ...edge.from])] });
    }
  }
  return [...merged.values()];
}

const byToken = (edges: readonly Edge[]): Edge[] => edges.toSorted((a, b) => a.token - b.token);

function normalise(edges: readonly Edge[]): Flow[] {
  const numbers = new Map<string, number>();
  const numberOf = (name: string) => {
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  };
  return edges.map(({ name, how, sources }) => {
    const from = sources.map(numberOf);
    return `${how} ${numberOf(name)} <- ${from.join(" ")}`;
  });
}
