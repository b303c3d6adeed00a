import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Recommendation } from "../../../src/ask/client.js";
import type { Service } from "./service.js";

type Origin = Recommendation["notebook"];

/** Opens the notebook of a cell at the cell: the file, its web page, or its indexed cells. */
export async function openSource(origin: Origin, service: Service): Promise<void> {
  const { source, name, location, cellIndex } = origin;
  const file = [location, join(source, name)].find((path) => path !== undefined && existsSync(path));
  if (file !== undefined) return openFile(vscode.Uri.file(file), cellIndex);
  if (location !== undefined && /^https?:\/\//.test(location)) {
    await vscode.env.openExternal(vscode.Uri.parse(location));
    return;
  }
  const { cells } = await service.ask((client) => client.getNotebook(origin.id));
  const text = cells.map((cell) => `# %% cell ${cell.cellIndex} of ${name}\n${cell.code}\n`);
  const document = await vscode.workspace.openTextDocument({ language: "python", content: text.join("\n") });
  const at = text
    .slice(
      0,
      cells.findIndex((cell) => cell.cellIndex === cellIndex),
    )
    .join("\n");
  const line = new vscode.Position(at === "" ? 0 : at.split("\n").length, 0);
  await vscode.window.showTextDocument(document, { preview: true, selection: new vscode.Range(line, line) });
}

async function openFile(uri: vscode.Uri, cellIndex: number): Promise<void> {
  if (!uri.path.endsWith(".ipynb")) {
    await vscode.window.showTextDocument(uri);
    return;
  }
  const range = new vscode.NotebookRange(cellIndex, cellIndex + 1);
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  try {
    const editor = await vscode.window.showNotebookDocument(notebook, { selections: [range] });
    editor.revealRange(range, vscode.NotebookEditorRevealType.InCenter);
  } catch (error) {
    // For an editor that opens slowly, VS Code reports a failure with an internal address, although the editor opens.
    if (!isOpen(uri)) throw new Error(`VS Code could not open ${uri.fsPath}.`, { cause: error });
  }
}

function isOpen(uri: vscode.Uri): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(({ input }) => input instanceof vscode.TabInputNotebook && input.uri.toString() === uri.toString());
}
