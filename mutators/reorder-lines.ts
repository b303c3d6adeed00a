import type { Mutator } from "../src/evaluate/suite.js";
import { type Edit, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { wordsOf } from "./syntax/names.js";
import { editPairs, namedNodes } from "./syntax/statement-edits.js";

/** Nodes of expressions without side effects: no calls, and no subscripts, which fill a defaultdict. */
const INERT =
  /^(?:identifier|attribute|integer|float|string|string_\w+|escape_sequence|true|false|none|list|tuple|dictionary|pair|set|unary_operator|binary_operator|comparison_operator|expression_list|concatenated_string|argument_list|keyword_argument)$/;
/** Methods of a plot that set independent properties. */
const LABEL = /^(?:set_)?(?:title|[xy]label|[xy]lim)$/;

const reorderLines: Mutator = {
  name: "reorder-lines",
  description:
    "Swaps neighbouring statements that do not depend on each other: imports, plain assignments, functions, labels of a plot.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) =>
      editPairs(cell, (one, other) => (areIndependent(one, other) ? [put(other, one), put(one, other)] : [])),
    ),
};

export default reorderLines;

function put({ text }: SyntaxNode, { startIndex, endIndex }: SyntaxNode): Edit {
  return { start: startIndex, end: endIndex, text };
}

function areIndependent(one: SyntaxNode, other: SyntaxNode): boolean {
  const [changed, changedToo] = [changedBy(one), changedBy(other)];
  if (changed === null || changedToo === null) return false;
  const [words, otherWords] = [wordsOf(one.text), wordsOf(other.text)];
  return !changed.some((name) => otherWords.has(name)) && !changedToo.some((name) => words.has(name));
}

/** The names that a statement assigns, if it does nothing else; null for any other statement. */
function changedBy(statement: SyntaxNode): string[] | null {
  switch (statement.type) {
    case "function_definition": {
      const head = ["parameters", "return_type"].map((field) => statement.childForFieldName(field));
      const runs = head.some((part) => part !== null && part.descendantsOfType(["call", "await"]).length > 0);
      return runs ? null : [statement.childForFieldName("name")!.text];
    }
    case "import_statement":
    case "import_from_statement": {
      const names = statement.childrenForFieldName("name");
      const bound = names.map((name) => (name.childForFieldName("alias") ?? name.firstNamedChild!).text);
      return bound.length > 0 ? bound : null;
    }
    case "expression_statement":
      return changedByExpression(statement.firstNamedChild!);
    default:
      return null;
  }
}

function changedByExpression(expression: SyntaxNode): string[] | null {
  if (expression.type === "call") {
    const [callee, list] = [expression.childForFieldName("function"), expression.childForFieldName("arguments")];
    const label = callee?.childForFieldName("attribute")?.text ?? "";
    // The last line stays last, because the notebook shows its value.
    const isLast = expression.parent!.nextNamedSibling === null;
    return LABEL.test(label) && list !== null && !isLast && isInert(list) ? [label] : null;
  }
  const [left, right] = [expression.childForFieldName("left"), expression.childForFieldName("right")];
  if (expression.type !== "assignment" || left?.type !== "identifier" || right === null) return null;
  return isInert(right) ? [left.text] : null;
}

function isInert(value: SyntaxNode): boolean {
  return namedNodes(value).every(({ type }) => INERT.test(type));
}
