import type { NameRole } from "../../python/name-roles.js";
import { lineStarts } from "../../python/strip.js";
import type { Token } from "../../python/tokenize.js";
import type { SourceLines } from "./source-lines.js";

/** A statement of a text, with its place among the blocks. */
export interface Statement {
  /** Its first and its last row, counted from 0. */
  readonly first: number;
  readonly last: number;
  /** The blocks that contain it. */
  readonly level: number;
  /** The white space before it. */
  readonly margin: string;
  /** Whether a block follows. */
  readonly isHeader: boolean;
  readonly tokens: readonly Token[];
  readonly roles: readonly (NameRole | null)[];
}

/** The statements of any text, broken or not, in order. */
export interface Outline {
  readonly statements: readonly Statement[];
  /** One step of indentation, as this text has it. */
  readonly unit: string;
  /** Offset of the first character of each row. */
  readonly starts: readonly number[];
}

const STEP = "    ";
const TAB = 8;
const HEADER = new Set("def class if elif else for while with try except finally async match case".split(" "));

export function readOutline(code: string, { logical }: SourceLines): Outline {
  const starts = lineStarts(code);
  const rowOf = (offset: number, from: number) => {
    let row = from;
    while (row + 1 < starts.length && starts[row + 1]! <= offset) row += 1;
    return row;
  };
  const open: { width: number; margin: string }[] = [];
  let unit: string | null = null;
  let row = 0;
  const statements = logical.map(({ tokens, roles }): Statement => {
    row = rowOf(tokens[0]!.start, row);
    const first = row;
    const margin = code.slice(starts[row]!, tokens[0]!.start).replace(/\S.*$/s, "");
    const width = widthOf(margin);
    while (open.length > 1 && open.at(-1)!.width > width) open.pop();
    if (open.length === 0) open.push({ width, margin });
    else if (open.at(-1)!.width < width) {
      const above = open.at(-1)!;
      unit ??= margin.startsWith(above.margin) ? margin.slice(above.margin.length) : null;
      open.push({ width, margin });
    }
    row = rowOf(tokens.at(-1)!.end - 1, row);
    const isHeader = HEADER.has(tokens[0]!.text) && tokens.at(-1)!.text === ":";
    return { first, last: row, level: open.length - 1, margin, isHeader, tokens, roles };
  });
  return { statements, unit: unit ?? STEP, starts };
}

/** Whether the first word needs a block, and its colon is still missing. */
export function lacksBlock({ tokens }: Pick<Statement, "tokens">): boolean {
  const [first] = tokens;
  if (first?.kind !== "keyword" || !HEADER.has(first.text)) return false;
  let depth = 0;
  for (const { text, kind } of tokens) {
    if (kind !== "operator") continue;
    if ("([{".includes(text)) depth += 1;
    else if (")]}".includes(text)) depth -= 1;
    else if (text === ":" && depth === 0) return false;
  }
  return true;
}

/** Columns of white space; a tab goes to the next multiple of eight, as Python counts. */
export function widthOf(margin: string): number {
  let width = 0;
  for (const char of margin) width = char === "\t" ? width + TAB - (width % TAB) : width + 1;
  return width;
}
