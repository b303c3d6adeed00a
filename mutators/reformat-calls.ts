import type { Mutator } from "../src/evaluate/suite.js";
import { rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { indentAt, outsideStrings } from "./syntax/statement-edits.js";

/** Minimum characters of a rewritten call. */
const LONG = 40;

const reformatCalls: Mutator = {
  name: "reformat-calls",
  description: "Writes long calls with one argument per line.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, ({ root }) =>
      outsideStrings(root.descendantsOfType("call").filter(isLong), root).map((call) => {
        const list = call.childForFieldName("arguments")!;
        const indent = indentAt(code, call.startIndex);
        const lines = list.namedChildren.map(({ startIndex, endIndex }) => code.slice(startIndex, endIndex));
        const text = ["(", ...lines.map((line) => `${indent}    ${line},`), `${indent})`].join("\n");
        return { start: list.startIndex, end: list.endIndex, text };
      }),
    ),
};

export default reformatCalls;

/** Multi-line calls are left unchanged. Of nested calls, only the outermost is rewritten. */
function isLong(call: SyntaxNode): boolean {
  const { row } = call.startPosition;
  if (call.endIndex - call.startIndex < LONG || call.endPosition.row !== row) return false;
  const list = call.childForFieldName("arguments");
  return list?.type === "argument_list" && list.namedChildCount > 1;
}
