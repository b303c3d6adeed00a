import type { Mutator } from "../src/evaluate/suite.js";
import { joinPhysicalLines, physicalLines } from "./syntax/physical-lines.js";

const reverseLines: Mutator = {
  name: "reverse-lines",
  description: "Adds after every line of code the same line with its characters reversed.",
  kind: "degrading",
  apply: (code) =>
    joinPhysicalLines(
      code,
      physicalLines(code).flatMap(({ text, holdsCode }) => (holdsCode ? [text, reverse(text)] : [text])),
    ),
};

export default reverseLines;

function reverse(line: string): string {
  const indent = /^\s*/.exec(line)![0];
  // Reversed by code points, because half a surrogate pair is not valid text.
  return indent + [...line.trim()].reverse().join("");
}
