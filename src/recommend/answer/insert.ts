import type { AlignedPair } from "./align.js";
import { closeBrackets } from "./brackets.js";
import type { SourceRow } from "./source-lines.js";

/** What would go behind the cursor. */
export interface Insertion {
  readonly text: string;
  /** Whether the text goes on in the line of the cursor; else it starts a new one. */
  readonly continuesLine: boolean;
}

const STEP = 4;

/**
 * The cell's lines behind the last one that is typed already, all of them where none is, indented to stand behind the typed
 * code. Starts with the rest of the line where only a part of it is typed, or with what closes the brackets that are open there.
 * `known` are lines that need not be said again: typed comments, and what is imported already.
 */
export function cutInsertion(
  code: string,
  rows: readonly SourceRow[],
  pairs: readonly AlignedPair[],
  typed: readonly SourceRow[],
  known: ReadonlySet<string>,
  isAtLineStart: boolean,
): Insertion {
  const last = pairs.at(-1);
  const texts = code.split("\n");
  const start = findStart(rows, last, typed);
  const behind = rows.filter(({ row }) => row >= start);
  const closing = last?.restStart === undefined ? closeBrackets(typed, behind, isAtLineStart) : null;
  const shift = closing === null ? shiftOf(last, typed) : closing.indent - (behind[0]?.indent ?? 0);
  // White space in a string of several lines is text.
  const fixed = new Set(rows.flatMap(({ row, isInside }) => (isInside ? row : [])));
  const moved = texts.map((text, row) => (fixed.has(row) ? text : indent(text, shift)));
  const lines = trimTyped(moved.slice(start), known);
  if (closing !== null && lines.length > 0)
    return { text: [...closing.lines, ...lines].join("\n"), continuesLine: closing.continuesLine };
  if (last?.restStart === undefined) return { text: lines.join("\n"), continuesLine: false };
  const rest = code.slice(last.restStart).split("\n", 1)[0]!.trimEnd();
  const text = rest === "" ? lines : [rest, ...lines];
  return { text: text.join("\n"), continuesLine: rest !== "" };
}

/** The first line to insert. Where all typed brackets are closed, a bracket that is still open in the cell is passed over. */
function findStart(rows: readonly SourceRow[], last: AlignedPair | undefined, typed: readonly SourceRow[]): number {
  if (last === undefined) return 0;
  if (last.restStart !== undefined || typed.at(-1)!.depth > 0 || last.cell.depth === 0) return last.cell.row + 1;
  const closing = rows.find(({ row, depth }) => row > last.cell.row && depth === 0);
  return (closing ?? last.cell).row + 1;
}

/** Without blank lines at both ends, and without the lines at the start that are known already. */
function trimTyped(rows: readonly string[], known: ReadonlySet<string>): string[] {
  const isFilled = (row: string) => row.trim() !== "";
  const isNew = (row: string) => isFilled(row) && !known.has(row.trim());
  const start = rows.findIndex(isNew);
  return start === -1 ? [] : rows.slice(start, rows.findLastIndex(isFilled) + 1);
}

/** Columns that the inserted lines move by: as the typed line stands to the line of the cell that it is. */
function shiftOf(last: AlignedPair | undefined, typed: readonly SourceRow[]): number {
  if (last !== undefined) return last.typed.indent - last.cell.indent;
  const line = typed.at(-1);
  if (line === undefined) return 0;
  return line.indent + (line.tokens.at(-1)!.text === ":" ? STEP : 0);
}

function indent(line: string, shift: number): string {
  const width = line.length - line.trimStart().length;
  return shift === 0 || line.trim() === "" ? line : " ".repeat(Math.max(0, width + shift)) + line.slice(width);
}
