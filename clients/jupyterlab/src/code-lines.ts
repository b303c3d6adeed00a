import type { IEditorLanguageRegistry } from "@jupyterlab/codemirror";
import { element } from "./element.js";

/** Shows Python in the editor's colours. */
export type RenderCode = (lines: readonly string[]) => HTMLElement[];

/** One element per line; the colours come when the grammar is loaded. */
export function createRenderCode(languages: IEditorLanguageRegistry): RenderCode {
  const language = languages.findByMIME("text/x-python");
  return (lines) => {
    const rows = lines.map((line) => element("code", "jp-celrec-Line", line === "" ? "\u200b" : line));
    const box = document.createElement("div");
    void languages.highlight(lines.join("\n"), language, box).then(() => {
      for (const [at, nodes] of splitLines(box).entries()) {
        if (nodes.length > 0) rows[at]?.replaceChildren(...nodes);
      }
    });
    return rows;
  };
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
