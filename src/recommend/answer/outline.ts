import type { NameRole } from "../../python/name-roles.js";
import { lineStarts } from "../../python/strip.js";
import type { Token } from "../../python/tokenize.js";
import type { SourceLines } from "./source-lines.js";

/** A statement with its block level. */
export interface Statement {
  /** The first and the last row, counted from 0. */
  readonly first: number;
  readonly last: number;
  /** The number of blocks that contain the statement. */
  readonly level: number;
  /** The white space before the statement. */
  readonly margin: string;
  /** Whether the statement opens a block. */
  readonly isHeader: boolean;
  readonly tokens: readonly Token[];
  readonly roles: readonly (NameRole | null)[];
}

/** The statements of a text in order. The text may have syntax errors. */
export interface Outline {
  readonly statements: readonly Statement[];
  /** One step of indentation in this text. */
  readonly unit: string;
  /** Offset of the first character of each row. */
  readonly starts: readonly number[];
}

/** Keywords of clauses that belong to the block before them. */
export const CONTINUING_CLAUSES: ReadonlySet<string> = new Set(["elif", "else", "except", "finally", "case"]);
const DEFAULT_INDENT = "    ";
const TAB = 8;
const HEADER = new Set("def class if elif else for while with try except finally async match case".split(" "));

/** Cached as long as the parsed lines. */
const known = new WeakMap<SourceLines, Outline>();

/** `source` are the lines of `code`. */
export function readOutline(code: string, source: SourceLines): Outline {
  let outline = known.get(source);
  if (outline === undefined) {
    outline = findOutline(code, source);
    known.set(source, outline);
  }
  return outline;
}

function findOutline(code: string, { logical }: SourceLines): Outline {
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
  return { statements, unit: unit ?? DEFAULT_INDENT, starts };
}

/** Whether the first keyword opens a block and the colon is still missing. */
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

/** The width of white space in columns; as in Python, a tab advances to the next multiple of eight. */
export function widthOf(margin: string): number {
  let width = 0;
  for (const char of margin) width = char === "\t" ? width + TAB - (width % TAB) : width + 1;
  return width;
}
