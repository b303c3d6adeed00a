import { scanString } from "../../src/python/strings.js";
import { tokenize } from "../../src/python/tokenize.js";

/**
 * A line of text. If `goesOn`, a string, a magic or a backslash continues on the next line, so nothing can be inserted
 * in between.
 */
interface PhysicalLine {
  readonly text: string;
  readonly holdsCode: boolean;
  readonly goesOn: boolean;
}

/** The lines of any text; a final line break does not start another line. */
export function physicalLines(code: string): PhysicalLine[] {
  const texts = code.split("\n");
  if (texts.length > 1 && texts.at(-1) === "") texts.pop();
  const full = new Set<number>();
  const open = new Set<number>();
  const tokens = tokenize(code);
  let line = 0;
  for (const [at, { kind, text, start, end }] of tokens.entries()) {
    if (kind === "newline") line += 1;
    if (kind === "newline" || kind === "comment") continue;
    if (text === "\\" && (tokens[at + 1]?.kind ?? "newline") === "newline") open.add(line);
    full.add(line);
    for (const _ of text.matchAll(/\n/g)) {
      open.add(line);
      line += 1;
      full.add(line);
    }
    // An unclosed string would include any text that follows.
    if (kind === "string" && end === code.length && !scanString(code, start)?.closed) open.add(line);
  }
  return texts.map((text, number) => ({
    text,
    holdsCode: full.has(number) && text.trim() !== "",
    goesOn: open.has(number),
  }));
}

/** Joins the lines, with a line break at the end if `code` has one. */
export function joinPhysicalLines(code: string, lines: readonly string[]): string {
  return lines.join("\n") + (code.includes("\n") && code.endsWith("\n") ? "\n" : "");
}
