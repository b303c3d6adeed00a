import type { Mutator } from "../src/evaluate/suite.js";
import { rewriteTree } from "./syntax/edits.js";
import { editPairs, isCompound, lineEnd } from "./syntax/statement-edits.js";

/** Maximum length of the merged line. */
const WIDTH = 100;

const mergeLines: Mutator = {
  name: "merge-lines",
  description: "Writes pairs of short statements on one line, with a semicolon between them.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) =>
      editPairs(cell, (one, other) => {
        const areSimple = [one, other].every((statement) => !isCompound(statement) && !statement.text.includes("\n"));
        const areClose = other.startPosition.row === one.endPosition.row + 1;
        const hasComment = lineEnd(code, one.endIndex) !== one.endIndex;
        if (!areSimple || !areClose || hasComment || one.text.length + other.text.length > WIDTH) return [];
        return [{ start: one.endIndex, end: other.startIndex, text: "; " }];
      }),
    ),
};

export default mergeLines;
