import { Clipboard } from "@jupyterlab/apputils";
import { NotebookActions } from "@jupyterlab/notebook";
import type { Offer } from "./offers.js";
import type { Place } from "./place.js";

export type InsertMethod = "insert" | "cell" | "replace" | "copy";

export interface Placed {
  readonly cell: { getSource(): string };
  readonly text: string;
}

/** Whether the notebook is unchanged since the request. */
export function isCurrent({ cell, completion, panel }: Place): boolean {
  if (cell.isDisposed || panel.content.activeCell !== cell) return false;
  return cell.model.sharedModel.getSource() === completion.prefix + completion.suffix;
}

/** Inserts an offer into the notebook. Returns the cell and the inserted text; null if it was only copied. */
export function apply(way: InsertMethod, { code, plan }: Offer, place: Place): Placed | null {
  if (way === "copy") {
    Clipboard.copyToSystem(code);
    return null;
  }
  if (way === "cell") return insertCell(code, place);
  const { sharedModel } = place.cell.model;
  const { editor } = place.cell;
  let end = code.length;
  if (way === "replace") sharedModel.updateSource(0, sharedModel.getSource().length, code);
  else {
    const { insertions } = plan;
    const length = insertions.reduce((sum, { text }) => sum + text.length, 0);
    end = place.offset + (insertions.at(-1)?.at ?? 0) + length;
    // From last to first, so earlier offsets stay valid.
    sharedModel.transact(() => {
      for (const { at, text } of [...insertions].reverse()) {
        sharedModel.updateSource(place.offset + at, place.offset + at, text);
      }
    });
  }
  place.panel.content.mode = "edit";
  editor?.focus();
  const position = editor?.getPositionAt(end);
  if (position !== undefined) editor?.setCursorPosition(position);
  return { cell: sharedModel, text: way === "replace" ? code : (plan.insertions.at(-1)?.text ?? "") };
}

/** Below the active cell, or into it if it is empty. */
function insertCell(code: string, { panel, cell }: Place): Placed | null {
  const isEmpty = cell.model.sharedModel.getSource().trim() === "";
  if (!isEmpty) NotebookActions.insertBelow(panel.content);
  const target = panel.content.activeCell;
  if (target === null) return null;
  target.model.sharedModel.setSource(code);
  panel.content.mode = "edit";
  target.editor?.focus();
  return { cell: target.model.sharedModel, text: code };
}
