import type { Mutator } from "../src/evaluate/suite.js";
import { rewriteTree } from "./syntax/edits.js";
import { hasOwnLines, lineEnd, statementsOf } from "./syntax/statement-edits.js";

const displayVariables: Mutator = {
  name: "display-variables",
  description: "Adds a line that displays the variable after every assignment of the cell.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) =>
      statementsOf(cell.root).flatMap((statement) => {
        const assignment = statement.firstNamedChild;
        const target = assignment?.childForFieldName("left");
        // `x: int` without a value assigns nothing.
        if (assignment?.type !== "assignment" || assignment.childForFieldName("right") === null) return [];
        if (target?.type !== "identifier" || !hasOwnLines(cell, statement)) return [];
        const start = lineEnd(code, statement.endIndex);
        return [{ start, end: start, text: `\n${target.text}` }];
      }),
    ),
};

export default displayVariables;
