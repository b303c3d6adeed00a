import * as vscode from "vscode";
import type { InsertPlan } from "../../jupyterlab/src/insertions.js";
import { type Place, positionAt } from "./place.js";
import { findCell, splitScript } from "./script-cells.js";

/** Whether the document is unchanged since the request. */
export function isCurrent({ document, version }: Place): boolean {
  return !document.isClosed && document.version === version;
}

/** Inserts the planned text and deletes nothing. A single undo reverts all of it. */
export async function insertPlanned(place: Place, { insertions }: InsertPlan): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const { at, text } of insertions) edit.insert(place.document.uri, positionAt(place, at), text);
  await vscode.workspace.applyEdit(edit);
}

/** Puts code into a new cell below, or into the cell itself if it is blank. */
export async function insertCell(place: Place, code: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const { document, cell } = place;
  if ((place.prefix + place.suffix).trim() === "") {
    edit.insert(document.uri, place.position, code);
  } else if (cell !== null) {
    const added = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, code, "python");
    edit.set(cell.notebook.uri, [vscode.NotebookEdit.insertCells(cell.index + 1, [added])]);
  } else {
    const cells = splitScript(document.getText())!;
    const { firstLine, lines } = cells[findCell(cells, place.position.line)!]!;
    const end = document.lineAt(firstLine + Math.max(0, lines.length - 1)).range.end;
    const gap = lines.at(-1)?.trim() === "" ? "" : "\n";
    edit.insert(document.uri, end, `${gap}# %%\n${code}\n`);
  }
  await vscode.workspace.applyEdit(edit);
  if (cell === null || (place.prefix + place.suffix).trim() === "") return;
  const next = new vscode.NotebookRange(cell.index + 1, cell.index + 2);
  const editor = vscode.window.visibleNotebookEditors.find(({ notebook }) => notebook === cell.notebook);
  if (editor === undefined) return;
  editor.selection = next;
  editor.revealRange(next);
}
