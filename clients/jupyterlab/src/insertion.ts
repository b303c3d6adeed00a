import { Clipboard } from "@jupyterlab/apputils";
import { NotebookActions } from "@jupyterlab/notebook";
import type { Recommendation } from "./answers.js";
import { changeAtCursor } from "./behind-cursor.js";
import type { Place } from "./question.js";

export type Way = "insert" | "cell" | "replace" | "copy";

/** Puts a recommendation into the notebook, and says in which cell which text now stands; null where it is only copied. */
export function apply(way: Way, hit: Recommendation, place: Place): Placed | null {
  if (way === "copy") {
    Clipboard.copyToSystem(hit.adapted.code);
    return null;
  }
  // What cannot stand behind the cursor can stand below.
  if (way === "cell" || (way === "insert" && hit.adapted.insert === "")) return insertCell(hit, place);
  const source = place.cell.model.sharedModel.getSource();
  const whole = { from: 0, to: source.length, text: hit.adapted.code };
  const { from, to, text } =
    way === "insert" ? changeAtCursor(hit, place.question.code, source.slice(place.offset)) : whole;
  place.cell.model.sharedModel.updateSource(from, to, text);
  const { editor } = place.cell;
  place.panel.content.mode = "edit";
  editor?.focus();
  const end = editor?.getPositionAt(from + text.length);
  if (end !== undefined) editor?.setCursorPosition(end);
  return { cell: place.cell.model.sharedModel, text };
}

export interface Placed {
  readonly cell: { getSource(): string };
  readonly text: string;
}

/** Below the active cell, or into it where it is empty. */
function insertCell(hit: Recommendation, { panel, cell }: Place): Placed | null {
  const isEmpty = cell.model.sharedModel.getSource().trim() === "";
  if (!isEmpty) NotebookActions.insertBelow(panel.content);
  const target = panel.content.activeCell;
  if (target === null) return null;
  target.model.sharedModel.setSource(hit.adapted.code);
  panel.content.mode = "edit";
  return { cell: target.model.sharedModel, text: hit.adapted.code };
}
