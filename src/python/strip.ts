import { blankComments } from "./lex.js";
import { type Token, tokenize } from "./tokenize.js";

/**
 * Code without comments, blank lines and trailing spaces. `lines[i]` is the original number of line i; both count from
 * 0.
 */
export interface CleanCode {
  readonly text: string;
  readonly lines: readonly number[];
}

/**
 * Removes comments, blank lines and trailing spaces. Strings (including blank lines inside them), magics and all other code are unchanged.
 * @example strip("a = 1  # one\n\nb = 2").text // "a = 1\nb = 2"
 */
export function strip(code: string, tokens: readonly Token[] = tokenize(code)): CleanCode {
  const starts = lineStarts(code);
  const inside = linesInside(code, tokens);
  const bare = blankComments(code, tokens);
  const kept: string[] = [];
  const lines: number[] = [];
  for (const [line, start] of starts.entries()) {
    const text = bare.slice(start, (starts[line + 1] ?? bare.length + 1) - 1);
    const shown = inside.has(line + 1) ? text : trimLine(text);
    // A line after a backslash belongs to the line before it, even if empty: removing it would join two statements.
    const needed = inside.has(line) || (kept.at(-1)?.endsWith("\\") && lines.at(-1) === line - 1 && !inside.has(line));
    if (shown === "" && !needed) continue;
    kept.push(shown);
    lines.push(line);
  }
  return { text: kept.join("\n"), lines };
}

/** A backslash followed by blanks does not continue the line, but after trimming it would. */
function trimLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith("\\") && trimmed !== text ? `${trimmed} ` : trimmed;
}

/** The lines whose first character is inside a string or a magic: the text before it must not be trimmed. */
function linesInside(code: string, tokens: readonly Token[]): Set<number> {
  const inside = new Set<number>();
  let line = 0;
  let countedTo = 0;
  for (const { start, end, text, kind } of tokens) {
    if ((kind !== "string" && kind !== "magic") || !text.includes("\n")) continue;
    line += countLineBreaks(code, countedTo, start);
    const last = line + countLineBreaks(code, start, end);
    for (let next = line + 1; next <= last; next += 1) inside.add(next);
    line = last;
    countedTo = end;
  }
  return inside;
}

function countLineBreaks(code: string, from: number, to: number): number {
  let found = 0;
  for (let at = code.indexOf("\n", from); at !== -1 && at < to; at = code.indexOf("\n", at + 1)) found += 1;
  return found;
}

/** Offset of the first character of every line. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Lines with anything but white space. */
export function filledLines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
