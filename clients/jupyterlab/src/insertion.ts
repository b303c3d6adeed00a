import { Clipboard } from "@jupyterlab/apputils";
import { NotebookActions } from "@jupyterlab/notebook";
import type { Place } from "./question.js";
import type { Recommendation } from "./service.js";

export type Way = "insert" | "cell" | "replace" | "copy";

/** Puts a recommendation into the notebook, and says in which cell which text now stands; null where it is only copied. */
export function apply(way: Way, hit: Recommendation, place: Place): Placed | null {
  if (way === "copy") {
    Clipboard.copyToSystem(hit.adapted.code);
    return null;
  }
  if (way === "cell") return insertCell(hit, place);
  const { from, to, text } = way === "insert" ? changeAtCursor(hit, place) : replaceAll(hit, place);
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

interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function changeAtCursor(hit: Recommendation, { cell, offset, question }: Place): Change {
  const line = question.code.slice(question.code.lastIndexOf("\n") + 1);
  // Inserted lines bring their own indentation.
  if (!hit.continuesLine && line.trim() === "")
    return { from: offset - line.length, to: offset, text: hit.adapted.insert };
  const text = hit.continuesLine ? hit.adapted.insert : `\n${hit.adapted.insert}`;
  const [behind = ""] = cell.model.sharedModel.getSource().slice(offset).split("\n", 1);
  // Brackets and quotes that the editor closed by itself come again with the insertion.
  const isClosing = hit.continuesLine && /^[)\]}"']+\s*$/.test(behind);
  return { from: offset, to: offset + (isClosing ? behind.length : 0), text };
}

/**
 * The same as ghost text, which can only stand behind the cursor; empty where it would have to change what is before it, or
 * would start a new line behind a word that may be half typed.
 */
export function textBehindCursor(hit: Recommendation, code: string, lines: number): string {
  const line = code.slice(code.lastIndexOf("\n") + 1);
  const insert = hit.adapted.insert.split("\n").slice(0, lines).join("\n");
  if (hit.continuesLine) return insert;
  if (line.trim() !== "") return /[\w.=+\-*/,([{]\s*$/.test(line) ? "" : `\n${insert}`;
  return insert.startsWith(line) ? insert.slice(line.length) : "";
}

function replaceAll(hit: Recommendation, { cell }: Place): Change {
  return { from: 0, to: cell.model.sharedModel.getSource().length, text: hit.adapted.code };
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
