import type { Mutator } from "../src/evaluate/suite.js";
import { joinPhysicalLines, physicalLines } from "./syntax/physical-lines.js";

/** Minimum length of a line that is cut. */
const MIN_LENGTH = 12;

const cutLines: Mutator = {
  name: "cut-lines",
  description: "Cuts every second line of code in half, as if its end had not been typed.",
  kind: "degrading",
  apply: (code) => {
    const lines = physicalLines(code);
    const long = lines.flatMap(({ text, holdsCode }, at) =>
      holdsCode && text.trim().length >= MIN_LENGTH ? [at] : [],
    );
    const cut = new Set(long.filter((_, at) => at % 2 === 0));
    return joinPhysicalLines(
      code,
      lines.map(({ text }, at) => (cut.has(at) ? halve(text) : text)),
    );
  },
};

export default cutLines;

function halve(line: string): string {
  const characters = [...line.trimStart()];
  const indent = line.slice(0, line.length - line.trimStart().length);
  return indent + characters.slice(0, Math.ceil(characters.length / 2)).join("");
}
