import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, rewriteTree } from "./syntax/edits.js";
import { freshName, namesInText, wordsOf } from "./syntax/names.js";
import { findVariables, type NameUse, type Variable } from "./syntax/scopes.js";

const aliasImports: Mutator = {
  name: "alias-imports",
  description: "Imports everything under another alias, and uses the alias.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) => {
      const taken = wordsOf(code);
      const kept = namesInText(cell);
      return findVariables(cell.root)
        .filter((variable) => isAliasable(variable) && !kept.has(variable.name))
        .flatMap(({ name, uses }) => {
          const alias = freshName(`${name}_lib`, taken);
          return uses.map((use) => rename(use, alias));
        });
    }),
};

export default aliasImports;

/** Whether a name is bound only by imports at the top level of the cell, before its first use. */
function isAliasable({ scope, uses }: Variable): boolean {
  if (scope?.kind !== "cell" || uses[0]!.role !== "import") return false;
  return uses.every(({ role, node }) => (role === "import" ? isPlainImport(node) : role === "read"));
}

/**
 * Whether an import can get an alias. Excluded are `import a.b`, which binds `a`, and imports inside `if` or `try`,
 * which may not run.
 */
function isPlainImport({ parent }: NameUse["node"]): boolean {
  const statement = parent!.type === "aliased_import" || parent!.type === "dotted_name" ? parent!.parent! : parent!;
  return parent!.type !== "dotted_name" || parent!.namedChildCount === 1 ? statement.parent?.type === "module" : false;
}

function rename({ node, role }: NameUse, alias: string): Edit {
  const isBare = role === "import" && node.parent!.type === "dotted_name";
  return { start: node.startIndex, end: node.endIndex, text: isBare ? `${node.text} as ${alias}` : alias };
}
