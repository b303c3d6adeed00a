import type { AlignedPair } from "./align.js";
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
 * code. Starts with the rest of the line where only a part of it is typed.
 */
export function cutInsertion(
  code: string,
  rows: readonly SourceRow[],
  pairs: readonly AlignedPair[],
  typed: readonly SourceRow[],
): Insertion {
  const last = pairs.at(-1);
  const texts = code.split("\n");
  const lines = indent(trimBlank(texts.slice(findStart(rows, last, typed))), shiftOf(last, typed));
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

function trimBlank(rows: readonly string[]): string[] {
  const isFilled = (row: string) => row.trim() !== "";
  return rows.slice(Math.max(0, rows.findIndex(isFilled)), rows.findLastIndex(isFilled) + 1);
}

/** Columns that the inserted lines move by: as the typed line stands to the line of the cell that it is. */
function shiftOf(last: AlignedPair | undefined, typed: readonly SourceRow[]): number {
  if (last !== undefined) return last.typed.indent - last.cell.indent;
  const line = typed.at(-1);
  if (line === undefined) return 0;
  return line.indent + (line.tokens.at(-1)!.text === ":" ? STEP : 0);
}

function indent(rows: readonly string[], shift: number): string[] {
  if (shift === 0) return [...rows];
  return rows.map((row) => {
    const width = row.length - row.trimStart().length;
    return row.trim() === "" ? "" : " ".repeat(Math.max(0, width + shift)) + row.slice(width);
  });
}
