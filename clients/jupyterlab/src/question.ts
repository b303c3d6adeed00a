import type { Cell, ICellModel } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { type CompletionQuestion, type Question, SOURCE } from "./answers.js";
import type { Variables } from "./kernel-expression.js";

/** The service reads about as much of the cells above. */
const MAX_BEFORE = 64 * 1024;
const MAX_AFTER = 32 * 1024;
const MAX_MARKDOWN = 8 * 1024;
/** The first, and what Alt+] shows after it. */
const COMPLETIONS = 3;

/** The position of the cursor, and the requests about it. */
export interface Place {
  readonly panel: NotebookPanel;
  readonly cell: Cell;
  /** The offset of the cursor. */
  readonly offset: number;
  readonly question: Question;
  readonly completion: CompletionQuestion;
}

/** The questions about the active cell; null if there is none, or no text to ask about. */
export function readPlace(
  panel: NotebookPanel,
  { k, maxLines, minConfidence }: { k: number; maxLines: number; minConfidence: number },
  variables: Variables,
): Place | null {
  const cell = panel.content.activeCell;
  if (cell === null || cell.model.type !== "code" || !isPython(panel)) return null;
  const offset = readOffset(panel, cell);
  const { before, markdown } = readAbove(panel, panel.content.activeCellIndex);
  const source = cell.model.sharedModel.getSource();
  const [prefix, suffix] = [source.slice(0, offset), source.slice(offset)];
  if (prefix.trim() === "" && before.length === 0 && markdown === "") return null;
  const heading = markdown === "" ? {} : { markdown };
  const types = Object.fromEntries(Object.entries(variables).map(([name, { type }]) => [name, type]));
  const hasVariables = Object.keys(types).length > 0;
  // Cells of the open notebook are not recommended.
  const exclude = { notebooks: [{ source: SOURCE, path: panel.context.path }] };
  const after = readBelow(panel, panel.content.activeCellIndex);
  return {
    panel,
    cell,
    offset,
    question: {
      code: prefix,
      suffix,
      k,
      context: { before, ...heading, ...(hasVariables && { variables: types }) },
      exclude,
    },
    completion: {
      prefix,
      suffix,
      k: COMPLETIONS,
      maxLines,
      minConfidence,
      context: { before, after, ...heading, ...(hasVariables && { variables }) },
    },
  };
}

/** The cursor; the end of a cell that is only selected. */
function readOffset({ content }: NotebookPanel, { editor, model }: Cell): number {
  if (editor === null || content.mode === "command") return model.sharedModel.getSource().length;
  return editor.getOffsetAt(editor.getCursorPosition());
}

/** The code of the cells below, the nearest first. */
function readBelow(panel: NotebookPanel, index: number): string[] {
  const cells = panel.content.model?.cells;
  const after: string[] = [];
  let size = 0;
  for (let at = index + 1; cells !== undefined && at < cells.length && size < MAX_AFTER; at += 1) {
    const model = cells.get(at) as ICellModel;
    if (model.type !== "code") continue;
    const source = model.sharedModel.getSource();
    size += source.length;
    if (source.trim() !== "") after.push(source);
  }
  return after;
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

/** A notebook without a language may be a Python notebook. */
export function isPython(panel: NotebookPanel): boolean {
  const { language_info, kernelspec } = (panel.content.model?.sharedModel.metadata ?? {}) as {
    language_info?: { name?: string };
    kernelspec?: { language?: string };
  };
  const language = language_info?.name ?? kernelspec?.language;
  return language === undefined || language.toLowerCase() === "python" || language === "";
}
