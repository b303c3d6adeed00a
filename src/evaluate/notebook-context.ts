import { normalizeSource } from "../cells/extract.js";
import type { NotebookCell } from "../notebook/notebook.js";

/** A cell above another one, as cases keep it. */
export interface ContextCell {
  readonly type: string;
  readonly source: string;
}

/** What a recommender is told of the cells above. */
export interface CellContext {
  readonly before: string[];
  readonly markdown: string;
}

const MOST_BEFORE = 5;

/** Up to five code cells before, nearest last, and the Markdown between the last of them and the cell. */
export function contextOf(above: readonly ContextCell[]): CellContext {
  const lastCode = above.findLastIndex(({ type }) => type === "code");
  const markdown = above.slice(lastCode + 1).filter(({ type }) => type === "markdown");
  const before = above.filter(({ type, source }) => type === "code" && source.trim() !== "").slice(-MOST_BEFORE);
  return {
    before: before.map(({ source }) => normalizeSource(source)),
    markdown: markdown.map(({ source }) => source).join("\n\n"),
  };
}

const MOST_CASES = 2;

/** At most two cells of a notebook, those at one and two thirds of the way: neighbours are too much alike. */
export function spreadCells(cells: readonly NotebookCell[]): NotebookCell[] {
  if (cells.length <= MOST_CASES) return [...cells];
  return [cells[Math.floor(cells.length / 3)]!, cells[Math.floor((2 * cells.length) / 3)]!];
}
