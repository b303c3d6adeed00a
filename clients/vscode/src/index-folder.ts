import { basename, relative, sep } from "node:path";
import * as vscode from "vscode";
import type { Service } from "./service.js";

const SKIPPED = "**/{node_modules,.venv,venv,.ipynb_checkpoints,.git,site-packages}/**";

/** Sends the notebooks of a workspace folder to the service, with progress, and reports the result. */
export async function indexFolder(service: Service): Promise<void> {
  const folder = await pickFolder();
  if (folder === undefined) return;
  const files = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, "**/*.ipynb"), SKIPPED);
  if (files.length === 0) {
    vscode.window.showInformationMessage(`There are no notebooks in ${folder.name}.`);
    return;
  }
  const title = `Indexing ${count(files.length)} in ${folder.name}`;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const outcome = await vscode.window.withProgress(options, async (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    let [cells, rejected, done] = [0, 0, 0];
    for (const file of files) {
      if (token.isCancellationRequested) break;
      const name = relative(folder.uri.fsPath, file.fsPath).split(sep).join("/");
      progress.report({ increment: 100 / files.length, message: basename(name) });
      const notebook = await readJson(file);
      const sent = notebook === null ? null : await send(name, notebook, controller.signal);
      done += 1;
      cells += sent ?? 0;
      rejected += Number(sent === null);
    }
    return { cells, rejected, done };
  });
  const { cells, rejected, done } = outcome;
  const rest = rejected === 0 ? "" : ` ${count(rejected)} could not be read.`;
  vscode.window.showInformationMessage(`${count(done - rejected)} with ${cells} cells are indexed.${rest}`);

  /** Uploads a notebook. Returns the number of its cells; null if it is not a Python notebook. */
  async function send(name: string, notebook: unknown, signal: AbortSignal): Promise<number | null> {
    const source = folder!.uri.fsPath;
    try {
      const answer = await service.ask((client) => client.upload(name, notebook, { source, signal }));
      return answer.notebooks[0]?.cells ?? null;
    } catch (error) {
      const status = (error as { problem?: { status: number } }).problem?.status;
      if (status !== 400 && status !== 413 && status !== 422) throw error;
      return null;
    }
  }
}

async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) vscode.window.showInformationMessage("Open a folder with notebooks first.");
  return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0];
}

async function readJson(file: vscode.Uri): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
  } catch {
    return null;
  }
}

function count(notebooks: number): string {
  return notebooks === 1 ? "1 notebook" : `${notebooks} notebooks`;
}
