import * as vscode from "vscode";
import { findCell, splitScript } from "./script-cells.js";

/** A cell as the service reads it. */
interface CellText {
  readonly isMarkdown: boolean;
  readonly text: string;
}

/** The position of the cursor, and the cells around it. Line ends are `\n` throughout. */
export interface Place {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly position: vscode.Position;
  /** The line of the document at which the cell starts. */
  readonly firstLine: number;
  readonly prefix: string;
  readonly suffix: string;
  /** Code cells above, the nearest last. */
  readonly before: readonly string[];
  /** Code cells below, the nearest first. */
  readonly after: readonly string[];
  readonly markdown: string;
  /** Null in a script. */
  readonly cell: vscode.NotebookCell | null;
}

const MAX_BEFORE = 64 * 1024;
const MAX_AFTER = 32 * 1024;
const MAX_MARKDOWN = 8 * 1024;

/** Null if there is no Python cell at the position. */
export function readPlace(document: vscode.TextDocument, position: vscode.Position): Place | null {
  if (document.languageId !== "python") return null;
  const version = document.version;
  const cell = findNotebookCell(document);
  if (cell !== null) {
    const cells = cell.notebook.getCells().map(
      ({ kind, document: { getText } }): CellText => ({
        isMarkdown: kind === vscode.NotebookCellKind.Markup,
        text: toLines(getText()).join("\n"),
      }),
    );
    const lines = toLines(document.getText());
    return { document, version, position, firstLine: 0, cell, ...cut(lines, position), ...around(cells, cell.index) };
  }
  const cells = splitScript(document.getText());
  const index = cells === null ? null : findCell(cells, position.line);
  if (cells === null || index === null || cells[index]!.isMarkdown) return null;
  const { firstLine, lines } = cells[index]!;
  const texts = cells.map((each) => ({ isMarkdown: each.isMarkdown, text: each.lines.join("\n").trim() }));
  const local = position.translate(-firstLine);
  return { document, version, position, firstLine, cell: null, ...cut(lines, local), ...around(texts, index) };
}

/** The position of an offset from the cursor, in the text of the cell. */
export function positionAt({ prefix, suffix, firstLine }: Place, at: number): vscode.Position {
  const lines = (prefix + suffix).slice(0, prefix.length + at).split("\n");
  return new vscode.Position(firstLine + lines.length - 1, lines.at(-1)!.length);
}

export function findNotebookCell(document: vscode.TextDocument): vscode.NotebookCell | null {
  if (document.uri.scheme !== "vscode-notebook-cell") return null;
  const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  return cells.find((cell) => cell.document === document) ?? null;
}

function toLines(text: string): string[] {
  return text.split(/\r?\n/);
}

function cut(lines: readonly string[], { line, character }: vscode.Position) {
  const own = lines[line] ?? "";
  return {
    prefix: [...lines.slice(0, line), own.slice(0, character)].join("\n"),
    suffix: [own.slice(character), ...lines.slice(line + 1)].join("\n"),
  };
}

function around(cells: readonly CellText[], index: number) {
  const above = cells.slice(0, index).reverse();
  const code = (list: readonly CellText[], max: number) => {
    let left = max;
    return list
      .filter(({ isMarkdown, text }) => !isMarkdown && text.trim() !== "")
      .flatMap(({ text }) => {
        left -= text.length;
        return left + text.length > 0 ? [text] : [];
      });
  };
  return {
    before: code(above, MAX_BEFORE).reverse(),
    after: code(cells.slice(index + 1), MAX_AFTER),
    markdown: (above.find(({ isMarkdown }) => isMarkdown)?.text ?? "").slice(-MAX_MARKDOWN),
  };
}
