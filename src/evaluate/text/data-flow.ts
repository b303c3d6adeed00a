import type { SyntaxNode } from "./syntax-tree.js";

/** One value and where it comes from, variables numbered in the order they appear: `computed 1 <- 0 2`. */
export type Flow = string;

/** A use of a value: which token it is, and the tokens that its value came from. */
interface Edge {
  readonly name: string;
  readonly token: number;
  readonly how: "comes" | "computed";
  readonly sources: readonly string[];
  readonly from: readonly number[];
}

/** Variable -> the tokens that gave it its value last; several where branches meet. */
type Scope = ReadonlyMap<string, readonly number[]>;

interface Read {
  readonly edges: readonly Edge[];
  readonly scope: Scope;
}

/** Loops are read twice: what the end of the body gives is what its beginning may use. */
const PASSES = 2;

/**
 * The data flow of a cell as CodeBLEU counts it (Ren et al. 2020, after GraphCodeBERT): every value with the values that
 * it comes or is computed from. Values that nothing else uses and that use nothing are left out.
 */
export function dataFlow(root: SyntaxNode): Flow[] {
  const tokens = numberTokens(root);
  const { edges } = read(root, new Map(), tokens);
  const used = new Set(edges.flatMap(({ token, from }) => (from.length > 0 ? [token, ...from] : [])));
  const linked = byToken(edges).filter(({ token }) => used.has(token));
  return normalise(merge(linked, ({ token }) => String(token)));
}

/** Leaves in their order; a string is one, whatever its parts are, and a comment is none. */
function numberTokens(root: SyntaxNode): ReadonlyMap<SyntaxNode, number> {
  const numbers = new Map<SyntaxNode, number>();
  const visit = (node: SyntaxNode) => {
    if (isToken(node)) numbers.set(node, numbers.size);
    else for (const child of node.children) visit(child);
  };
  visit(root);
  return numbers;
}

const isToken = ({ type, children }: SyntaxNode): boolean =>
  type !== "comment" && (children.length === 0 || type === "string");

/** Keywords and punctuation carry no value: their type is their text. */
const isValue = (node: SyntaxNode): boolean => isToken(node) && node.type !== node.text;

type Numbers = ReadonlyMap<SyntaxNode, number>;

function read(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  if (isToken(node)) return readToken(node, scope, numbers);
  switch (node.type) {
    case "default_parameter":
      return readDefault(node, scope, numbers);
    case "assignment":
    case "augmented_assignment":
    case "for_in_clause":
      return readAssignment(node, scope, numbers);
    case "if_statement":
      return readBranches(node, scope, numbers);
    case "for_statement":
    case "while_statement":
      return readLoop(node, scope, numbers);
    default: {
      // The clause of a comprehension stands behind what uses its variable.
      const isClause = ({ type }: SyntaxNode) => type === "for_in_clause";
      const children = [...node.children.filter(isClause), ...node.children.filter((child) => !isClause(child))];
      return readAll(children, scope, numbers);
    }
  }
}

function readAll(nodes: readonly SyntaxNode[], scope: Scope, numbers: Numbers): Read {
  const edges: Edge[] = [];
  let now = scope;
  for (const node of nodes) {
    const part = read(node, now, numbers);
    edges.push(...part.edges);
    now = part.scope;
  }
  return { edges: byToken(edges), scope: now };
}

function readToken(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  if (!isValue(node)) return { edges: [], scope };
  const [name, token] = [node.text, numbers.get(node)!];
  const known = scope.get(name);
  if (known !== undefined) return { edges: [{ name, token, how: "comes", sources: [name], from: known }], scope };
  const edges = [{ name, token, how: "comes", sources: [], from: [] } as const];
  return { edges, scope: node.type === "identifier" ? assigned(scope, name, token) : scope };
}

function readDefault(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  const value = read(child(node, "value")!, scope, numbers);
  const values = valuesIn(child(node, "value")!);
  let now = value.scope;
  const edges = [...value.edges];
  for (const name of valuesIn(child(node, "name")!)) {
    const token = numbers.get(name)!;
    for (const each of values) {
      edges.push({ name: name.text, token, how: "comes", sources: [each.text], from: [numbers.get(each)!] });
    }
    now = assigned(now, name.text, token);
  }
  return { edges: byToken(edges), scope: now };
}

function readAssignment(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  const right = node.type === "for_in_clause" ? node.children.at(-1) : child(node, "right");
  if (right === undefined) return { edges: [], scope };
  return assign(child(node, "left")!, right, node.type !== "for_in_clause", scope, numbers);
}

/** Where both sides have as many parts, each gets its own; else every name on the left gets everything on the right. */
function assign(left: SyntaxNode, right: SyntaxNode, apart: boolean, scope: Scope, numbers: Numbers): Read {
  const [lefts, rights] = [left, right].map((side) => side.children.filter(({ type }) => type !== ","));
  const isPaired = apart && lefts!.length === rights!.length && lefts!.length > 0;
  const pairs = isPaired ? lefts!.map((one, at) => [one, rights![at]!] as const) : [[left, right] as const];
  const values = readAll(
    pairs.map(([, value]) => value),
    scope,
    numbers,
  );
  const edges = [...values.edges];
  let now = values.scope;
  for (const [target, value] of pairs) {
    const sources = valuesIn(value);
    for (const name of valuesIn(target)) {
      const token = numbers.get(name)!;
      edges.push({
        name: name.text,
        token,
        how: "computed",
        sources: sources.map(({ text }) => text),
        from: sources.map((source) => numbers.get(source)!),
      });
      now = assigned(now, name.text, token);
    }
  }
  return { edges: byToken(edges), scope: now };
}

function readBranches(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  const isOther = ({ type }: SyntaxNode) => type === "elif_clause" || type === "else_clause";
  const first = readAll(
    node.children.filter((child) => !isOther(child)),
    scope,
    numbers,
  );
  const others = node.children.filter(isOther).map((child) => read(child, scope, numbers));
  const hasElse = node.children.some(({ type }) => type === "else_clause");
  const scopes = [...others, first].map((part) => part.scope);
  return {
    edges: byToken([first, ...others].flatMap((part) => part.edges)),
    scope: meet(hasElse || others.length > 0 ? scopes : [...scopes, scope]),
  };
}

function readLoop(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  const edges: Edge[] = [];
  let now = scope;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const part = node.type === "while_statement" ? readAll(node.children, now, numbers) : readFor(node, now, numbers);
    edges.push(...part.edges);
    now = part.scope;
  }
  return { edges: byToken(merge(edges, ({ name, token, how }) => `${token} ${how} ${name}`)), scope: now };
}

function readFor(node: SyntaxNode, scope: Scope, numbers: Numbers): Read {
  const head = assign(child(node, "left")!, child(node, "right")!, true, scope, numbers);
  const last = node.children.at(-1)!;
  if (last.type !== "block") return head;
  const body = read(last, head.scope, numbers);
  return { edges: [...head.edges, ...body.edges], scope: body.scope };
}

const child = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((one) => one.field === field);

function valuesIn(node: SyntaxNode): SyntaxNode[] {
  if (isToken(node)) return isValue(node) ? [node] : [];
  return node.children.flatMap(valuesIn);
}

function assigned(scope: Scope, name: string, token: number): Scope {
  return new Map(scope).set(name, [token]);
}

/** After branches a variable can have its value from any of them. */
function meet(scopes: readonly Scope[]): Scope {
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

/** Edges with the same key become one, with the sources of all. */
function merge(edges: readonly Edge[], keyOf: (edge: Edge) => string): Edge[] {
  const merged = new Map<string, Edge>();
  for (const edge of edges) {
    const known = merged.get(keyOf(edge));
    const union = <T>(one: readonly T[], other: readonly T[]) => [...new Set([...one, ...other])];
    merged.set(
      keyOf(edge),
      known === undefined
        ? edge
        : { ...edge, sources: union(known.sources, edge.sources), from: union(known.from, edge.from) },
    );
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
