import type { SourceRow } from "./source-lines.js";

/** A line of a cell with its number, counted from 0. */
export interface ExcerptLine {
  readonly line: number;
  readonly text: string;
}

/** Lines of a cell that are shown; a longer cell is cut. */
const MAX_LINES = 12;
/** Lines that lead to the one where the insertion starts. */
const LEAD = 2;

/**
 * The lines to show of a cell: all of a short one, of a long one those around `from`, where what it brings starts, up to the
 * end of a statement.
 */
export function cutExcerpt(code: string, rows: readonly SourceRow[], from: number): ExcerptLine[] {
  const texts = code.split("\n");
  if (texts.length <= MAX_LINES) return texts.map((text, line) => ({ line, text }));
  const start = Math.max(0, Math.min(from, texts.length - 1) - LEAD);
  const limit = start + MAX_LINES;
  // A statement that is longer is shown as far as it goes.
  const end = rows.findLast(({ row, depth }) => row >= start && row < limit && depth === 0)?.row ?? limit - 1;
  return texts.slice(start, end + 1).map((text, at) => ({ line: start + at, text }));
}
