import { MOST_CELLS, rejectCells } from "./limits.js";
import type { NotebookCell, ParsedNotebook } from "./notebook.js";

const IMPORT = /^(?:import marimo\b|from marimo import\b)/m;
const APP = /^app[ \t]*=[ \t]*(?:marimo\.)?App\(/m;
/** What starts a cell, at the very start of a line. */
const START = /^(?:@app\.(?:cell|function|class_definition)\b|with app\.setup\b|app\._unparsable_cell\()/gm;
const TOP_LINE = /\n(?=\S)/g;
const SIGNS = /[()[\]{}\n]/g;
/** A cell that only shows Markdown; formatted strings are left alone, since what they show is not known. */
const MARKDOWN = /^mo\.md\(\s*r?("""|''')([\s\S]*?)\1,?\s*\)$/;

/** Whether a script is a marimo notebook. */
export function isMarimoScript(text: string): boolean {
  return IMPORT.test(text) && APP.test(text);
}

/**
 * Reads a marimo notebook, line ends as LF. marimo writes each cell as a function: its parameters are the names it reads,
 * its `return` lists those it defines; neither was typed by the author, so both are left out.
 */
export function parseMarimo(text: string): ParsedNotebook {
  const cells: NotebookCell[] = [];
  START.lastIndex = 0;
  for (let start = START.exec(text); start !== null; start = START.exec(text)) {
    if (cells.length === MOST_CELLS) return rejectCells();
    const { source, end } = readCell(text, start.index);
    const markdown = MARKDOWN.exec(source);
    cells.push(
      markdown === null
        ? { index: cells.length, type: "code", source }
        : { index: cells.length, type: "markdown", source: dedent(markdown[2]!) },
    );
    START.lastIndex = end;
  }
  return { notebook: { cells } };
}

function readCell(text: string, at: number): { source: string; end: number } {
  if (text.startsWith("app.", at)) return readUnparsable(text, at);
  const head = text.startsWith("with", at) ? at : logicalEnd(text, at) + 1;
  let line = head;
  while (text[line] === "@" && !text.startsWith("@app.", line)) line = logicalEnd(text, line) + 1;
  const body = logicalEnd(text, line);
  const end = blockEnd(text, body);
  // A function or a class stays one; only the decorator is marimo's.
  const isWhole = text.startsWith("@app.function", at) || text.startsWith("@app.class", at);
  return isWhole
    ? { source: text.slice(head, end).trim(), end }
    : { source: dropReturn(dedent(text.slice(body, end))), end };
}

/** Code that marimo could not parse stands in a string. */
function readUnparsable(text: string, at: number): { source: string; end: number } {
  const opening = /^[^"']*("""|'''|["'])/.exec(text.slice(at, at + 200));
  const start = at + (opening?.[0].length ?? 0);
  const close = opening === null ? -1 : text.indexOf(opening[1]!, start);
  if (close === -1) return { source: "", end: logicalEnd(text, at) };
  return { source: dedent(text.slice(start, close)), end: close };
}

/** The end of the line on which all brackets opened since `at` are closed; a line that starts at the margin ends broken ones. */
function logicalEnd(text: string, at: number): number {
  SIGNS.lastIndex = at;
  let depth = 0;
  for (let found = SIGNS.exec(text); found !== null; found = SIGNS.exec(text)) {
    const sign = found[0];
    if (sign === "\n") {
      if (depth <= 0 || /[^\s)\]}]/.test(text[found.index + 1] ?? "")) return found.index;
    } else depth += "([{".includes(sign) ? 1 : -1;
  }
  return text.length;
}

/** The end of the last line before the next one that starts at the margin. */
function blockEnd(text: string, from: number): number {
  TOP_LINE.lastIndex = from;
  return TOP_LINE.exec(text)?.index ?? text.length;
}

/** Takes the indentation of the first line off every line, strings included: marimo indents those, too. */
function dedent(text: string): string {
  const width = /^[ \t]*(?=[^ \t\n])/m.exec(text)?.[0].length ?? 0;
  const bare = width === 0 ? text : text.replace(new RegExp(`(?<![^\\n])[ \\t]{1,${width}}`, "g"), "");
  return bare.replace(/^\n+/, "").trimEnd();
}

/** Without the last statement, if it is marimo's `return`, on one line or on several. */
function dropReturn(source: string): string {
  const at = source.startsWith("return") ? 0 : source.lastIndexOf("\nreturn") + 1;
  const last = source.slice(at);
  return /^return\b[^\n]*(?:\n(?:[\s)\]}][^\n]*)?)*$/.test(last) ? source.slice(0, at).trimEnd() : source;
}
