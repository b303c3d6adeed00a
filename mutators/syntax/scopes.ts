import type { SyntaxNode } from "./edits.js";
import { findUses, type NameUse, type Role, type Scope } from "./name-uses.js";

/** A variable: the scope it lives in (null where the cell does not bind it) and all its uses, in the order of the text. */
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
    // A class's names are seen by its own body only, not by the functions in it.
    if ((at === scope || at.kind !== "class") && bound.get(at)?.has(name)) return at;
  }
  return null;
}
