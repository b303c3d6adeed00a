import { isBrokenLine } from "../python/likeness.js";
import type { Token } from "../python/tokenize.js";

/** A physical line that reads as Python: its tokens, and the column of the first one. */
export interface CodeLine {
  readonly tokens: readonly Token[];
  readonly indent: number;
}

/**
 * The lines of the code that could be Python. Prose, shell commands, scrambled text and half-merged lines are left out
 * one by one: what they seem to call means nothing, and their brackets would swallow the lines after them.
 */
export function readLines(code: string, tokens: readonly Token[]): { lines: CodeLine[]; broken: Token[][] } {
  const lines: CodeLine[] = [];
  const broken: Token[][] = [];
  let line: Token[] = [];
  const close = () => {
    if (line.length > 0) {
      if (isBrokenLine(line)) broken.push(line);
      else lines.push({ tokens: line, indent: columnOf(code, line[0]!.start) });
    }
    line = [];
  };
  for (const token of tokens) {
    if (token.kind === "newline") close();
    else if (token.kind !== "comment") line.push(token);
  }
  close();
  return { lines, broken };
}

function columnOf(code: string, offset: number): number {
  return offset - (code.lastIndexOf("\n", offset - 1) + 1);
}
