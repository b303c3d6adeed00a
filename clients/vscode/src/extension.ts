import * as vscode from "vscode";
import { createCards } from "./cards.js";
import { createAskCompletions, createGhostProvider } from "./ghost.js";
import { indexFolder } from "./index-folder.js";
import { insertCell } from "./insert.js";
import { readPlace } from "./place.js";
import { createService, type Service } from "./service.js";

const SELECTOR: vscode.DocumentSelector = [
  { language: "python", notebookType: "jupyter-notebook" },
  { language: "python", pattern: "**/*.py" },
];

export function activate(context: vscode.ExtensionContext): void {
  const service = createService(context);
  const report = createReporter();
  const askCompletions = createAskCompletions(service);
  const cards = createCards(service, askCompletions, report);
  const command = (name: string, run: () => Promise<void>) =>
    vscode.commands.registerCommand(name, () => run().catch(report));
  context.subscriptions.push(
    service,
    vscode.languages.registerInlineCompletionItemProvider(SELECTOR, createGhostProvider(askCompletions, report)),
    vscode.window.registerWebviewViewProvider("celrec.cards", cards, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.window.onDidChangeTextEditorSelection(cards.update),
    vscode.window.onDidChangeActiveTextEditor(cards.update),
    command("celrec.nextCell", () => insertNextCell(service)),
    command("celrec.indexFolder", () => indexFolder(service)),
    command("celrec.goToSource", cards.goToSource),
  );
}

/** Shows each message once: a missing service would cause one per keystroke. */
function createReporter(): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const { name, message } = error as Error;
    if (name === "AbortError" || told.has(message)) return;
    told.add(message);
    void vscode.window.showWarningMessage(message, "Open Settings").then((choice) => {
      if (choice !== undefined) void vscode.commands.executeCommand("workbench.action.openSettings", "celrec");
    });
  };
}

/** Lets the user choose among the cells that may follow this one. */
async function insertNextCell(service: Service): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const place = editor === undefined ? null : readPlace(editor.document, editor.selection.active);
  if (place === null) {
    vscode.window.showInformationMessage("Put the cursor into a Python cell first.");
    return;
  }
  const own = place.prefix + place.suffix;
  const before = own.trim() === "" ? [...place.before] : [...place.before, own];
  const { recommendations } = await service.ask((client) =>
    client.recommend({ code: "", mode: "next", k: 9, context: { before } }),
  );
  const choices = recommendations.map(({ adapted, notebook }) => ({
    label: adapted.code.split("\n").find((line) => line.trim() !== "") ?? "",
    description: notebook.name,
    detail: adapted.code.split("\n").slice(1, 4).join(" · "),
    code: adapted.code,
  }));
  if (choices.length === 0) {
    vscode.window.showInformationMessage("No next cell was found for this notebook.");
    return;
  }
  const chosen = await vscode.window.showQuickPick(choices, { title: "Next cell", matchOnDetail: true });
  if (chosen !== undefined) await insertCell(place, chosen.code);
}
