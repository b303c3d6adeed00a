import type { Cell } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Variables } from "./kernel-expression.js";
import { createQuestions, type Limits, type Questions } from "./question.js";

type SharedModel = Cell["model"]["sharedModel"];

/** The position of the cursor, and the requests about it. */
export interface Place extends Questions {
  readonly panel: NotebookPanel;
  readonly cell: Cell;
  /** The offset of the cursor. */
  readonly offset: number;
}

/** The questions about the active cell; null if there is none, or no text to ask about. */
export function readPlace(panel: NotebookPanel, limits: Limits, variables: Variables): Place | null {
  const cell = panel.content.activeCell;
  const cells = panel.content.model?.cells;
  if (cell === null || cells === undefined || cell.model.type !== "code" || !isPython(panel)) return null;
  const offset = readOffset(panel, cell);
  const texts = {
    length: cells.length,
    at: (index: number) => {
      const { type, sharedModel } = cells.get(index);
      return { type, source: readSource(sharedModel) };
    },
  };
  const cursor = { index: panel.content.activeCellIndex, offset, path: panel.context.path };
  const questions = createQuestions(texts, cursor, limits, variables);
  return questions && { panel, cell, offset, ...questions };
}

/** Caches the texts of cells until they change, because a shared model builds its text at each call. */
const sources = new WeakMap<SharedModel, string>();

function readSource(model: SharedModel): string {
  const known = sources.get(model);
  if (known !== undefined) return known;
  const source = model.getSource();
  sources.set(model, source);
  const forget = () => {
    sources.delete(model);
    model.changed.disconnect(forget);
  };
  model.changed.connect(forget);
  return source;
}

/** The cursor; the end of a cell that is only selected. */
function readOffset({ content }: NotebookPanel, { editor, model }: Cell): number {
  if (editor === null || content.mode === "command") return model.sharedModel.getSource().length;
  return editor.getOffsetAt(editor.getCursorPosition());
}

/** A notebook without a language may still become a Python notebook. */
export function isPython(panel: NotebookPanel): boolean {
  const { language_info, kernelspec } = (panel.content.model?.sharedModel.metadata ?? {}) as {
    language_info?: { name?: string };
    kernelspec?: { language?: string };
  };
  const language = language_info?.name ?? kernelspec?.language;
  return language === undefined || language.toLowerCase() === "python" || language === "";
}
