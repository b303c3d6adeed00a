import type { Mutator } from "../src/evaluate/suite.js";
import { joinPhysicalLines, physicalLines } from "./syntax/physical-lines.js";

const COMMENT = "# Additional comment line";

const insertComments: Mutator = {
  name: "insert-comments",
  description: "Inserts a comment line between every two lines, or after a single line.",
  kind: "preserving",
  apply: (code) => {
    const lines = physicalLines(code);
    if (code.trim() === "") return code;
    // A single line gets a comment after it. Of several lines, the last one gets none.
    const last = lines.length === 1 ? 1 : lines.length - 1;
    return joinPhysicalLines(
      code,
      // Inside a multi-line string the comment would be text, and after a backslash it would be an error.
      lines.flatMap(({ text, goesOn }, at) => (goesOn || at === last ? [text] : [text, COMMENT])),
    );
  },
};

export default insertComments;
