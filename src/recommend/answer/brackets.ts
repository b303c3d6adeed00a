import type { SourceRow } from "./source-lines.js";

/** A bracket that was opened and not closed. */
interface OpenBracket {
  readonly closer: string;
  /** The row that opened it. */
  readonly row: SourceRow;
}

const CLOSER: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** What closes the brackets that typed code leaves open, in lines; null where nothing has to be closed. */
export interface Closing {
  readonly lines: readonly string[];
  /** Whether the first of them goes on in the line of the cursor: the bracket was opened in that line. */
  readonly continuesLine: boolean;
  /** Columns before the statement that they belong to. */
  readonly indent: number;
}

/**
 * Closes what `typed` leaves open, so that a statement can follow. Brackets opened in one row are closed in one line, indented as
 * that row. Null where all is closed, or where `inserted` closes something itself.
 */
export function closeBrackets(
  typed: readonly SourceRow[],
  inserted: readonly SourceRow[],
  isAtLineStart: boolean,
): Closing | null {
  const open = openBrackets(typed);
  if (open.length === 0 || closesMore(inserted)) return null;
  const { indent } = open[0]!.row;
  const last = typed.at(-1)!;
  const lines: { row: SourceRow; text: string }[] = [];
  for (const { closer, row } of open.reverse()) {
    const before = lines.at(-1);
    if (before?.row === row) before.text += closer;
    else lines.push({ row, text: closer });
  }
  const continuesLine = !isAtLineStart && lines[0]!.row === last;
  return {
    lines: lines.map(({ row, text }, at) => (at === 0 && continuesLine ? text : " ".repeat(row.indent) + text)),
    continuesLine,
    indent,
  };
}

/** The brackets of the last statement that are open at its end, the innermost last. */
function openBrackets(rows: readonly SourceRow[]): OpenBracket[] {
  const open: OpenBracket[] = [];
  for (const row of rows) {
    for (const { kind, text } of row.tokens) {
      if (kind !== "operator") continue;
      if (text in CLOSER) open.push({ closer: CLOSER[text]!, row });
      else if (open.at(-1)?.closer === text) open.pop();
    }
    // A row that leaves none open ends its statement, whatever a broken one before it left.
    if (row.depth === 0) open.length = 0;
  }
  return open;
}

/** Whether a bracket is closed that none of these rows opened. */
function closesMore(rows: readonly SourceRow[]): boolean {
  let depth = 0;
  for (const { tokens } of rows) {
    for (const { kind, text } of tokens) {
      if (kind !== "operator") continue;
      if (text in CLOSER) depth += 1;
      else if (text === ")" || text === "]" || text === "}") depth -= 1;
      if (depth < 0) return true;
    }
  }
  return false;
}
