import { type ParsedCell, rewriteTree, type SyntaxNode } from "../src/clean/edits.js";
import { freshName, namesInText, wordsOf } from "../src/clean/names.js";
import { findVariables, type Variable } from "../src/clean/scopes.js";
import type { Mutator } from "../src/evaluate/mutator.js";

const renameLocals: Mutator = {
  name: "rename-locals",
  description:
    "Calls the variables that the cell itself introduces var1, var2, ...; what comes from outside keeps its name.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) => {
      const taken = wordsOf(code);
      const own = findOwn(cell).sort((a, b) => a.uses[0]!.node.startIndex - b.uses[0]!.node.startIndex);
      return own.flatMap(({ uses }, at) => {
        const text = freshName(`var${at + 1}`, taken);
        return uses.map(({ node }) => ({ start: node.startIndex, end: node.endIndex, text }));
      });
    }),
};

export default renameLocals;

function findOwn(cell: ParsedCell): Variable[] {
  const variables = findVariables(cell.root);
  const kept = namesInText(cell);
  for (const { name, scope, uses } of variables) {
    if (scope?.kind === "class" || uses.some(({ role }) => /^(?:declare|show|pattern)$/.test(role))) kept.add(name);
  }
  // A lambda's parameters may be given by keyword.
  for (const { firstNamedChild } of cell.root.descendantsOfType("keyword_argument")) kept.add(firstNamedChild!.text);
  return variables.filter((variable) => !kept.has(variable.name) && isOwn(variable, cell.root));
}

function isOwn({ name, scope, uses }: Variable, root: SyntaxNode): boolean {
  if (scope === null || scope.kind === "class" || name.startsWith("_")) return false;
  const renamable = scope.kind === "lambda" ? /^(?:bind|read|update|parameter)$/ : /^(?:bind|read|update)$/;
  if (!uses.every(({ role }) => renamable.test(role))) return false;
  return scope.kind !== "cell" || isIntroduced(uses, root);
}

/** Whether the first statement of the cell that knows the variable gives it a value, without looking at an older one. */
function isIntroduced(uses: Variable["uses"], root: SyntaxNode): boolean {
  const { node, role } = uses[0]!;
  const first = root.namedChildren.find(({ endIndex }) => endIndex > node.startIndex)!;
  const head = headOf(first);
  if (role !== "bind" || head === null || node.startIndex >= head.endIndex) return false;
  return !uses.some((use) => use.role !== "bind" && use.node.startIndex < head.endIndex);
}

/** The part of a statement that is always run, up to its end. */
function headOf(statement: SyntaxNode): SyntaxNode | null {
  if (statement.type === "for_statement") return statement.childForFieldName("right");
  if (statement.type === "with_statement") return statement.firstNamedChild;
  return statement.firstNamedChild?.type === "assignment" ? statement : null;
}
