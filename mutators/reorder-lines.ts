import { type Edit, rewriteTree, type SyntaxNode } from "../src/clean/edits.js";
import { wordsOf } from "../src/clean/names.js";
import { standsAlone, statementLists } from "../src/clean/statements.js";
import type { Mutator } from "../src/evaluate/mutator.js";

/** What an expression may hold whose time of evaluation nobody can tell. */
const INERT =
  /^(?:identifier|integer|float|string|string_\w+|escape_sequence|true|false|none|list|tuple|dictionary|pair|set|unary_operator|binary_operator|expression_list|type|concatenated_string)$/;

const reorderLines: Mutator = {
  name: "reorder-lines",
  description: "Swaps neighbouring statements that do not know of each other: imports, plain assignments, functions.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) =>
      statementLists(cell.root).flatMap((list) => {
        const edits: Edit[] = [];
        for (let at = 0; at + 1 < list.length; at += 1) {
          const pair = [list[at]!, list[at + 1]!] as const;
          if (!pair.every((statement) => standsAlone(cell, statement)) || !areIndependent(...pair)) continue;
          edits.push(put(pair[1], pair[0]), put(pair[0], pair[1]));
          at += 1;
        }
        return edits;
      }),
    ),
};

export default reorderLines;

function put({ text }: SyntaxNode, { startIndex, endIndex }: SyntaxNode): Edit {
  return { start: startIndex, end: endIndex, text };
}

function areIndependent(one: SyntaxNode, other: SyntaxNode): boolean {
  const [bound, boundToo] = [boundBy(one), boundBy(other)];
  if (bound === null || boundToo === null) return false;
  const [words, otherWords] = [wordsOf(one.text), wordsOf(other.text)];
  return !bound.some((name) => otherWords.has(name)) && !boundToo.some((name) => words.has(name));
}

/** The names a statement binds, where that is all it does; null for any other statement. */
function boundBy(statement: SyntaxNode): string[] | null {
  if (statement.type === "function_definition") {
    const head = [statement.childForFieldName("parameters"), statement.childForFieldName("return_type")];
    const runs = head.some((part) => part !== null && part.descendantsOfType(["call", "await"]).length > 0);
    return runs ? null : [statement.childForFieldName("name")!.text];
  }
  if (statement.type === "import_statement" || statement.type === "import_from_statement") {
    const names = statement.childrenForFieldName("name");
    if (names.length === 0) return null;
    return names.map((name) => (name.childForFieldName("alias") ?? name.firstNamedChild!).text);
  }
  const assignment = statement.type === "expression_statement" ? statement.firstNamedChild : null;
  const [left, right] = [assignment?.childForFieldName("left"), assignment?.childForFieldName("right")];
  if (assignment?.type !== "assignment" || left?.type !== "identifier" || !right) return null;
  const isInert = right.descendantsOfType("*").every(({ type, isNamed }) => !isNamed || INERT.test(type));
  return isInert ? [left.text] : null;
}
