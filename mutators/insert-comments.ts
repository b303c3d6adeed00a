import type { Mutator } from "../src/evaluate/suite.js";
import { joinPhysicalLines, physicalLines } from "./syntax/physical-lines.js";

const COMMENT = "# Additional comment line";

const insertComments: Mutator = {
  name: "insert-comments",
  description: "Puts a comment line between every two lines, or after the only one.",
  kind: "preserving",
  apply: (code) => {
    const lines = physicalLines(code);
    if (code.trim() === "") return code;
    // A single line is followed by its comment; otherwise the last line gets none.
    const last = lines.length === 1 ? 1 : lines.length - 1;
    return joinPhysicalLines(
      code,
      // Inside a multi-line string or after a backslash the comment would be text or an error.
      lines.flatMap(({ text, goesOn }, at) => (goesOn || at === last ? [text] : [text, COMMENT])),
    );
  },
};

export default insertComments;
