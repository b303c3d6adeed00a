import type { Mutator } from "../src/evaluate/suite.js";
import { type ParsedCell, rewriteTree, type SyntaxNode } from "./syntax/edits.js";
import { freshName, wordsOf } from "./syntax/names.js";
import { hasOwnLines, lineStart, statementsOf } from "./syntax/statement-edits.js";

const insertDeadCode: Mutator = {
  name: "insert-dead-code",
  description: "Inserts a branch that is never executed before every second statement of the cell.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) => {
      const text = `if False:\n    ${freshName("unused", wordsOf(code))} = None\n`;
      const statements = statementsOf(cell.root);
      const places = statements.filter((_, at) => at % 2 === 1 || statements.length === 1);
      return places
        .filter((statement) => canInsertBefore(cell, statement))
        .map(({ startIndex }) => {
          const start = lineStart(code, startIndex);
          return { start, end: start, text };
        });
    }),
};

export default insertDeadCode;

/**
 * Whether a line can be inserted before a statement: not before `from __future__`, nor before a statement that shares
 * its line.
 */
function canInsertBefore(cell: ParsedCell, statement: SyntaxNode): boolean {
  return statement.type !== "future_import_statement" && hasOwnLines(cell, statement);
}
