import type { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { element } from "./element.js";

/** Renders Python in the editor's colours. On each line, new text starts at a given column. */
export type RenderCode = (lines: readonly string[], newText?: ReadonlyMap<number, number>) => HTMLElement[];

/** One element per line; colours are added once the grammar is loaded. */
export function createRenderCode(languages: IEditorLanguageRegistry): RenderCode {
  const language = languages.findByMIME("text/x-python");
  return (lines, newText = new Map()) => {
    const rows = lines.map((line) => element("code", "jp-celrec-Line", line === "" ? "\u200b" : line));
    const markNew = () => {
      for (const [at, column] of newText) if (rows[at] !== undefined) wrapFrom(rows[at], column);
    };
    markNew();
    const box = document.createElement("div");
    void languages.highlight(lines.join("\n"), language, box).then(() => {
      for (const [at, nodes] of splitLines(box).entries()) {
        if (nodes.length > 0) rows[at]?.replaceChildren(...nodes);
      }
      markNew();
    });
    return rows;
  };
}

/** Wraps the text from a column on in its own element. */
function wrapFrom(row: HTMLElement, column: number): void {
  if (row.querySelector("ins") !== null) return;
  const added = element("ins", "");
  let start = 0;
  for (const node of [...row.childNodes]) {
    const text = node.textContent ?? "";
    const cut = Math.max(0, column - start);
    start += text.length;
    if (cut >= text.length) continue;
    const rest = node.cloneNode() as HTMLElement;
    rest.textContent = text.slice(cut);
    added.append(rest);
    if (cut === 0) node.remove();
    else node.textContent = text.slice(0, cut);
  }
  row.append(added);
}

/** The nodes of each line; a string over several lines is cut into one piece per line. */
function splitLines(box: HTMLElement): Node[][] {
  const lines: Node[][] = [[]];
  for (const node of [...box.childNodes]) {
    for (const [at, text] of (node.textContent ?? "").split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (text === "") continue;
      const piece = node.cloneNode() as HTMLElement;
      piece.textContent = text;
      lines.at(-1)!.push(piece);
    }
  }
  return lines;
}
