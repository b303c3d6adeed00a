import type { Mutator } from "../src/evaluate/suite.js";
import { joinPhysicalLines, physicalLines } from "./syntax/physical-lines.js";

const duplicateReversed: Mutator = {
  name: "duplicate-reversed",
  description: "Appends all lines of code again, in reverse order.",
  kind: "degrading",
  apply: (code) => {
    const lines = physicalLines(code);
    const full = lines.filter(({ holdsCode }) => holdsCode).reverse();
    return full.length === 0
      ? code
      : joinPhysicalLines(
          code,
          [...lines, ...full].map(({ text }) => text),
        );
  },
};

export default duplicateReversed;
