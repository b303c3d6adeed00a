import type { Mutator } from "../src/evaluate/suite.js";
import { joinPhysicalLines, physicalLines } from "./syntax/physical-lines.js";

const dropLines: Mutator = {
  name: "drop-lines",
  description: "Drops every third line of code, the second if there are only two.",
  kind: "degrading",
  apply: (code) => {
    const lines = physicalLines(code);
    const full = lines.flatMap(({ holdsCode }, at) => (holdsCode ? [at] : []));
    const every = full.length === 2 ? 2 : 3;
    const dropped = new Set(full.filter((_, at) => (at + 1) % every === 0));
    const kept = lines.filter((_, at) => !dropped.has(at)).map(({ text }) => text);
    return dropped.size === 0 ? code : joinPhysicalLines(code, kept);
  },
};

export default dropLines;
