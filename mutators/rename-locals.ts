import type { Mutator } from "../src/evaluate/suite.js";
import { type ParsedCell, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { freshName, namesInText, wordsOf } from "./syntax/names.js";
import { findVariables, type Variable } from "./syntax/scopes.js";

const renameLocals: Mutator = {
  name: "rename-locals",
  description: "Renames the variables that the cell itself introduces to var1, var2, ...; other names are unchanged.",
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
  const keywords = cell.root.descendantsOfType("keyword_argument").map(({ firstNamedChild }) => firstNamedChild!.text);
  return variables.filter(
    (variable) => !kept.has(variable.name) && !variable.name.startsWith("_") && isOwn(variable, cell.root, keywords),
  );
}

function isOwn({ name, scope, uses }: Variable, root: SyntaxNode, keywords: readonly string[]): boolean {
  if (scope === null || scope.kind === "class") return false;
  // Parameters are not renamed, because callers may pass them by name.
  const isParameter = uses.some(({ role }) => role === "parameter");
  if (isParameter && (scope.kind !== "lambda" || keywords.includes(name))) return false;
  if (!uses.every(({ role }) => /^(?:bind|read|update|parameter)$/.test(role))) return false;
  return scope.kind !== "cell" || isIntroduced(uses, root);
}

/** Whether the first statement that uses the variable always assigns it, without reading an older value. */
function isIntroduced(uses: Variable["uses"], block: SyntaxNode): boolean {
  const { node, role } = uses[0]!;
  const first = block.namedChildren.find(({ endIndex }) => endIndex > node.startIndex)!;
  const head = headOf(first);
  if (head !== null && node.startIndex < head.endIndex) {
    return role === "bind" && !uses.some((use) => use.role !== "bind" && use.node.startIndex < head.endIndex);
  }
  // If all uses are inside one block, such as a loop body, the rule is applied inside it.
  const inner = first.descendantsOfType("block").filter(({ parent }) => parent!.equals(first));
  const whole = inner.find(({ startIndex, endIndex }) =>
    uses.every((use) => use.node.startIndex >= startIndex && use.node.endIndex <= endIndex),
  );
  return whole !== undefined && isIntroduced(uses, whole);
}

/** The part of a statement that is always executed, such as the condition of an `if`. */
function headOf(statement: SyntaxNode): SyntaxNode | null {
  if (statement.type === "for_statement") return statement.childForFieldName("right");
  if (statement.type === "with_statement") return statement.firstNamedChild;
  return statement.firstNamedChild?.type === "assignment" ? statement : null;
}
