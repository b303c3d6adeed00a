import type { Cell, ICellModel } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { type Question, SOURCE } from "./answers.js";

/** The service reads about as much of the cells above. */
const MAX_BEFORE = 64 * 1024;
const MAX_MARKDOWN = 8 * 1024;

/** Where somebody types, and what is asked about it. */
export interface Place {
  readonly panel: NotebookPanel;
  readonly cell: Cell;
  /** The offset in the cell behind which a recommendation goes. */
  readonly offset: number;
  readonly question: Question;
}

/** The question about the active cell; null where there is none, or nothing to go by. */
export function readPlace(panel: NotebookPanel, k: number, variables: Readonly<Record<string, string>>): Place | null {
  const cell = panel.content.activeCell;
  if (cell === null || cell.model.type !== "code" || !isPython(panel)) return null;
  const offset = readOffset(cell);
  const above = readAbove(panel, panel.content.activeCellIndex);
  const code = cell.model.sharedModel.getSource().slice(0, offset);
  if (code.trim() === "" && above.before.length === 0 && above.markdown === "") return null;
  const context = {
    before: above.before,
    ...(above.markdown !== "" && { markdown: above.markdown }),
    ...(Object.keys(variables).length > 0 && { variables }),
  };
  // What the user has in front of them already is no recommendation.
  const exclude = { notebooks: [{ source: SOURCE, path: panel.context.path }] };
  return { panel, cell, offset, question: { code, k, context, exclude } };
}

/** Behind the cursor; at the end where the cursor stands before everything, as in a cell that was only selected. */
function readOffset(cell: Cell): number {
  const source = cell.model.sharedModel.getSource();
  const { editor } = cell;
  if (editor === null) return source.length;
  const offset = editor.getOffsetAt(editor.getCursorPosition());
  return source.slice(0, offset).trim() === "" ? source.length : offset;
}

/** The code of the cells above, the nearest last, and the nearest Markdown. */
function readAbove(panel: NotebookPanel, index: number): { before: string[]; markdown: string } {
  const cells = panel.content.model?.cells;
  const before: string[] = [];
  let [markdown, size] = ["", 0];
  for (let at = index - 1; cells !== undefined && at >= 0 && size < MAX_BEFORE; at -= 1) {
    const model = cells.get(at) as ICellModel;
    const source = model.sharedModel.getSource();
    size += source.length;
    if (model.type === "code" && source.trim() !== "") before.unshift(source);
    if (model.type === "markdown" && markdown === "") markdown = source.slice(-MAX_MARKDOWN);
  }
  return { before, markdown };
}

/** A notebook that does not say its language may still become one of Python. */
export function isPython(panel: NotebookPanel): boolean {
  const { language_info, kernelspec } = (panel.content.model?.sharedModel.metadata ?? {}) as {
    language_info?: { name?: string };
    kernelspec?: { language?: string };
  };
  const language = language_info?.name ?? kernelspec?.language;
  return language === undefined || language.toLowerCase() === "python" || language === "";
}
