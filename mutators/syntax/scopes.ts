import type { SyntaxNode } from "./edits.js";

/** A variable: its scope (null if the cell does not bind it) and all its uses, in text order. */
export interface Variable {
  readonly name: string;
  readonly scope: Scope | null;
  readonly uses: readonly NameUse[];
}

const BINDING: ReadonlySet<Role> = new Set(["bind", "update", "parameter", "definition", "import"]);

/** The variables of a cell, in the order in which they first appear. */
export function findVariables(root: SyntaxNode): Variable[] {
  const uses = findUses(root).sort((a, b) => a.node.startIndex - b.node.startIndex);
  const bound = new Map<Scope, Set<string>>();
  for (const { name, role, scope } of uses) {
    if (BINDING.has(role)) bound.set(scope, (bound.get(scope) ?? new Set()).add(name));
  }
  const variables = new Map<Scope | null, Map<string, NameUse[]>>();
  for (const use of uses) {
    const home = homeOf(use, bound);
    if (!variables.has(home)) variables.set(home, new Map());
    const names = variables.get(home)!;
    if (!names.has(use.name)) names.set(use.name, []);
    names.get(use.name)!.push(use);
  }
  return [...variables].flatMap(([scope, names]) => [...names].map(([name, own]) => ({ name, scope, uses: own })));
}

function homeOf({ name, scope }: NameUse, bound: ReadonlyMap<Scope, ReadonlySet<string>>): Scope | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    // Names of a class are only visible in its body, not in its methods.
    if ((at === scope || at.kind !== "class") && bound.get(at)?.has(name)) return at;
  }
  return null;
}

/**
 * Kinds of uses. `bind` assigns a value; `update` also needs the old value (`x += 1`, `del x`); `declare` is `global`
 * or `nonlocal`; `show` also prints the name (`f"{x=}"`); `pattern` is any name in a `case`.
 */
type Role = "bind" | "read" | "update" | "parameter" | "definition" | "import" | "declare" | "show" | "pattern";

interface Scope {
  readonly kind: "cell" | "function" | "lambda" | "comprehension" | "class";
  readonly parent: Scope | null;
}

/** A name that refers to a variable: not an attribute, a keyword argument or a part of a module path. */
export interface NameUse {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly role: Role;
  readonly scope: Scope;
}

const COMPREHENSION = /^(?:list|set|dictionary)_comprehension$|^generator_expression$/;

/** Every use of a name, in no particular order. */
export function findUses(root: SyntaxNode): NameUse[] {
  const uses: NameUse[] = [];
  // A work list instead of recursion, because a sum of ten thousand terms is ten thousand nodes deep.
  const pending: [node: SyntaxNode, scope: Scope, role: Role][] = [];
  visit(root, { kind: "cell", parent: null }, "read");
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) enter(...next);
  return uses;

  function visit(node: SyntaxNode | null, scope: Scope, role: Role): void {
    if (node !== null) pending.push([node, scope, role]);
  }

  function enter(node: SyntaxNode, scope: Scope, role: Role): void {
    const field = (name: string) => node.childForFieldName(name);
    const inner = (kind: Scope["kind"]): Scope => ({ kind, parent: scope });
    switch (node.type) {
      case "identifier":
        uses.push({ name: node.text, node, role, scope });
        return;
      case "attribute":
        visit(field("object"), scope, role === "show" ? "show" : "read");
        return;
      case "keyword_argument":
        visit(field("value"), scope, "read");
        return;
      case "member_type":
        visit(node.firstNamedChild, scope, role);
        return;
      case "subscript":
      case "call":
        visitChildren(node, scope, role === "show" ? "show" : "read");
        return;
      case "assignment":
      case "augmented_assignment":
        visit(field("left"), scope, node.type === "assignment" ? "bind" : "update");
        visit(field("type"), scope, "read");
        visit(field("right"), scope, "read");
        return;
      case "named_expression":
        visit(field("name"), outsideComprehensions(scope), "bind");
        visit(field("value"), scope, "read");
        return;
      case "for_statement":
        visit(field("left"), scope, "bind");
        for (const part of ["right", "body", "alternative"]) visit(field(part), scope, "read");
        return;
      case "as_pattern_target":
        visitChildren(node, scope, "bind");
        return;
      case "delete_statement":
        visitChildren(node, scope, "update");
        return;
      case "global_statement":
      case "nonlocal_statement":
        visitChildren(node, scope, "declare");
        return;
      case "case_pattern":
      case "type_alias_statement":
        visitChildren(node, scope, "pattern");
        return;
      case "interpolation":
        visitChildren(node, scope, node.children.some(({ type }) => type === "=") ? "show" : "read");
        return;
      case "import_statement":
      case "import_from_statement":
        visitImport(node, scope);
        return;
      case "class_definition":
        visit(field("name"), scope, "definition");
        visit(field("superclasses"), scope, "read");
        visit(field("body"), inner("class"), "read");
        return;
      case "function_definition":
      case "lambda":
        visit(field("name"), scope, "definition");
        visit(field("return_type"), scope, "read");
        visitFunction(node, scope, inner(node.type === "lambda" ? "lambda" : "function"));
        return;
      default:
        if (COMPREHENSION.test(node.type)) visitComprehension(node, scope, inner("comprehension"), role);
        else visitChildren(node, scope, role);
    }
  }

  function visitChildren(node: SyntaxNode, scope: Scope, role: Role): void {
    for (const child of node.namedChildren) visit(child, scope, role);
  }

  function visitFunction(node: SyntaxNode, outer: Scope, scope: Scope): void {
    for (const parameter of node.childForFieldName("parameters")?.namedChildren ?? []) {
      visit(parameter.childForFieldName("type"), outer, "read");
      visit(parameter.childForFieldName("value"), outer, "read");
      visit(parameter.childForFieldName("name") ?? untyped(parameter), scope, "parameter");
    }
    visit(node.childForFieldName("body"), scope, "read");
  }

  /** A comprehension has its own scope, except for the iterable of the first `for`. */
  function visitComprehension(node: SyntaxNode, outer: Scope, scope: Scope, role: Role): void {
    let first = true;
    for (const child of node.namedChildren) {
      if (child.type !== "for_in_clause") {
        visit(child, scope, role);
        continue;
      }
      visit(child.childForFieldName("left"), scope, "bind");
      for (const right of child.childrenForFieldName("right")) visit(right, first ? outer : scope, role);
      first = false;
    }
  }

  function visitImport(node: SyntaxNode, scope: Scope): void {
    for (const imported of node.childrenForFieldName("name")) {
      const alias = imported.childForFieldName("alias");
      visit(alias ?? imported.firstNamedChild, scope, "import");
    }
  }
}

/** The name of `a: int`, whose only other child is its type. */
function untyped(parameter: SyntaxNode): SyntaxNode | null {
  return parameter.type === "typed_parameter" ? parameter.firstNamedChild : parameter;
}

function outsideComprehensions(scope: Scope): Scope {
  return scope.kind === "comprehension" && scope.parent !== null ? outsideComprehensions(scope.parent) : scope;
}
