import { normalizeSource } from "../notebook/extract.js";
import type { NotebookCell } from "../notebook/notebook.js";
import { filledLines } from "../python/strip.js";

/** A cell above another one, as stored in a case. */
export interface ContextCell {
  readonly type: string;
  readonly source: string;
}

/** The context that a recommender gets. */
interface CellContext {
  readonly before: string[];
  readonly markdown: string;
}

const MAX_BEFORE = 5;

/** Up to `max` code cells before the cell, the nearest last, and the Markdown after the last code cell. */
export function contextOf(above: readonly ContextCell[], max = MAX_BEFORE): CellContext {
  const lastCode = above.findLastIndex(({ type }) => type === "code");
  const markdown = above.slice(lastCode + 1).filter(({ type }) => type === "markdown");
  const before = above.filter(({ type, source }) => type === "code" && source.trim() !== "").slice(-max);
  return {
    before: before.map(({ source }) => normalizeSource(source)),
    markdown: markdown.map(({ source }) => source).join("\n\n"),
  };
}

/** Splits the cells above a cell: the Markdown directly above it, and the cells before that. */
export function splitAbove(
  cells: readonly NotebookCell[],
  { index }: Pick<NotebookCell, "index">,
): { readonly context: readonly NotebookCell[]; readonly markdown: string } {
  const above = cells.slice(0, index);
  const start = above.findLastIndex(({ type }) => type !== "markdown") + 1;
  const markdown = above.slice(start).map(({ source }) => source);
  return { context: above.slice(0, start), markdown: markdown.join("\n\n") };
}

const MAX_CASES = 2;

/** At most `max` cells of a notebook (by default two), evenly spread, because adjacent cells are similar. */
export function spreadCells<T>(cells: readonly T[], max = MAX_CASES): T[] {
  if (cells.length <= max) return [...cells];
  return Array.from({ length: max }, (_, at) => cells[Math.floor((cells.length * (at + 1)) / (max + 1))]!);
}

/**
 * The queries of a seed, line by line: its first 1, 2, ... n lines. Blank lines are dropped, comments count.
 * @example linePrefixes("a = 1\n\nb = 2") // ["a = 1", "a = 1\nb = 2"]
 */
export function linePrefixes(source: string): string[] {
  const lines = filledLines(normalizeSource(source));
  return lines.map((_, at) => lines.slice(0, at + 1).join("\n"));
}
