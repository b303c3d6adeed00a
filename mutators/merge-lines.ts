import { type Edit, rewriteTree } from "../src/clean/edits.js";
import { isCompound, lineEnd, standsAlone, statementLists } from "../src/clean/statements.js";
import type { Mutator } from "../src/evaluate/mutator.js";

/** The longest line that two statements make. */
const WIDTH = 100;

const mergeLines: Mutator = {
  name: "merge-lines",
  description: "Writes pairs of short statements on one line, with a semicolon between them.",
  kind: "preserving",
  apply: (code) =>
    rewriteTree(code, (cell) =>
      statementLists(cell.root).flatMap((list) => {
        const edits: Edit[] = [];
        for (let at = 0; at + 1 < list.length; at += 1) {
          const [one, other] = [list[at]!, list[at + 1]!];
          const isPair = [one, other].every(
            (statement) => standsAlone(cell, statement) && !isCompound(statement) && !statement.text.includes("\n"),
          );
          const isClose = other.startPosition.row === one.endPosition.row + 1;
          const hasComment = lineEnd(code, one.endIndex) !== one.endIndex;
          if (!isPair || !isClose || hasComment || one.text.length + other.text.length > WIDTH) continue;
          edits.push({ start: one.endIndex, end: other.startIndex, text: "; " });
          at += 1;
        }
        return edits;
      }),
    ),
};

export default mergeLines;
