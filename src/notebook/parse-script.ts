import { MAX_CELLS, type NotebookCell, type ParsedNotebook, rejectTooManyCells } from "./notebook.js";

/** Whether a Python script is a notebook in percent or marimo format. */
export function isNotebookScript(text: string): boolean {
  return isMarimoScript(text) || isPercentScript(text);
}

/** Reads a Python script that is a notebook, or returns the reason why it is not one. Never throws on content. */
export function parseScript(text: string): ParsedNotebook {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const script = plain.includes("\r") ? plain.replace(/\r\n?/g, "\n") : plain;
  if (isMarimoScript(script)) return parseMarimo(script);
  if (isPercentScript(script)) return parsePercent(script);
  const reason = "a script without cells: no line `# %%` starts one, and there is no `app = marimo.App(`";
  return { rejected: { kind: "plain-script", reason } };
}

interface Block {
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

/** Matches a cell marker; `# %%time` is a commented-out magic instead. */
const MARKER =
  /^#[^\S\n]*%%(?!(?:bash|bigquery|capture|cython|file|html|HTML|javascript|js|latex|perl|prun|R|ruby|script|sh|sql|svg|SVG|time|timeit|writefile)\b)(.*)$/m;
/** Matches magics that editors commented out to keep the script valid Python. */
const COMMENTED_MAGIC = /(?<![^\n])([^\S\n]*)# ?(?=(?:!|%%?)[A-Za-z])/g;
const COMMENT_MARK = /(?<![^\n])# ?/g;

/** Whether a script is in percent format: a line `# %%` starts a cell. */
export function isPercentScript(text: string): boolean {
  return MARKER.test(text);
}

/** Reads a Python script in percent format. Text before the first marker is also a cell. Line ends must be LF. */
export function parsePercent(text: string): ParsedNotebook {
  const blocks = findBlocks(text);
  if (blocks === null) return rejectTooManyCells();
  const [first, ...marked] = blocks;
  const cells = text.slice(first!.start, first!.end).trim() === "" ? marked : blocks;
  return { notebook: { cells: cells.map((block, index) => readBlock(text, block, index)) } };
}

/** Stores offsets only, so a file full of markers does not need many times its size. */
function findBlocks(text: string): Block[] | null {
  const blocks: Block[] = [];
  let title = "";
  let start = skipHeader(text);
  for (let at = start; at < text.length; ) {
    const end = lineEnd(text, at);
    const marker = text[at] === "#" ? MARKER.exec(text.slice(at, end)) : null;
    if (marker !== null) {
      if (blocks.length === MAX_CELLS) return null;
      blocks.push({ title, start, end: Math.max(start, at - 1) });
      title = marker[1]!;
      start = end + 1;
    }
    at = end + 1;
  }
  return [...blocks, { title, start, end: text.length }];
}

/** The start of the cells, after a comment block between two `# ---` that editors write at the start of a file. */
function skipHeader(text: string): number {
  if (!text.startsWith("# ---\n")) return 0;
  let at = lineEnd(text, 0) + 1;
  while (text[at] === "#") {
    const end = lineEnd(text, at);
    if (end < text.length && text.slice(at, end) === "# ---") return end + 1;
    at = end + 1;
  }
  return 0;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function readBlock(text: string, { title, start, end }: Block, index: number): NotebookCell {
  const body = text.slice(start, end);
  if (/\[(markdown|md)\]/i.test(title)) {
    return { index, type: "markdown", source: trimBlank(body.replace(COMMENT_MARK, "")) };
  }
  const type = /\[raw\]/i.test(title) ? "other" : "code";
  return { index, type, source: trimBlank(body.replace(COMMENTED_MAGIC, "$1")) };
}

/** Removes blank lines at the start and white space at the end. */
function trimBlank(text: string): string {
  let start = 0;
  for (let at = 0; text[at] === " " || text[at] === "\t" || text[at] === "\n"; at += 1) {
    if (text[at] === "\n") start = at + 1;
  }
  return text.slice(start).trimEnd();
}

const IMPORT = /^(?:import marimo\b|from marimo import\b)/m;
const APP = /^app[ \t]*=[ \t]*(?:marimo\.)?App\(/m;
/** A line that starts a cell, without indentation. */
const CELL_START = /^(?:@app\.(?:cell|function|class_definition)\b|with app\.setup\b|app\._unparsable_cell\()/gm;
const TOP_LINE = /\n(?=\S)/g;
const BRACKET_OR_LINE_END = /[()[\]{}\n]/g;
/** Matches a cell that only shows Markdown. f-strings do not match, because their text is unknown. */
const MARKDOWN = /^mo\.md\(\s*r?("""|''')([\s\S]*?)\1,?\s*\)$/;

/** Whether a script is a marimo notebook. */
export function isMarimoScript(text: string): boolean {
  return IMPORT.test(text) && APP.test(text);
}

/**
 * Reads a marimo notebook with LF line ends. marimo writes each cell as a function, whose parameters are the used names
 * and whose `return` lists the defined ones. Both are left out, because the author did not type them.
 */
export function parseMarimo(text: string): ParsedNotebook {
  const cells: NotebookCell[] = [];
  CELL_START.lastIndex = 0;
  for (let start = CELL_START.exec(text); start !== null; start = CELL_START.exec(text)) {
    if (cells.length === MAX_CELLS) return rejectTooManyCells();
    const { source, end } = readCell(text, start.index);
    const markdown = MARKDOWN.exec(source);
    cells.push(
      markdown === null
        ? { index: cells.length, type: "code", source }
        : { index: cells.length, type: "markdown", source: dedent(markdown[2]!) },
    );
    CELL_START.lastIndex = end;
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
  // A decorated function or class is kept; only the decorator is marimo's.
  const isWhole = text.startsWith("@app.function", at) || text.startsWith("@app.class", at);
  return isWhole
    ? { source: text.slice(head, end).trim(), end }
    : { source: dropReturn(dedent(text.slice(body, end))), end };
}

/** marimo stores unparsable code in a string. */
function readUnparsable(text: string, at: number): { source: string; end: number } {
  const opening = /^[^"']*("""|'''|["'])/.exec(text.slice(at, at + 200));
  const start = at + (opening?.[0].length ?? 0);
  const close = opening === null ? -1 : text.indexOf(opening[1]!, start);
  if (close === -1) return { source: "", end: logicalEnd(text, at) };
  return { source: dedent(text.slice(start, close)), end: close };
}

/**
 * The end of the line on which all brackets opened since `at` are closed. An unindented line ends unclosed brackets.
 */
function logicalEnd(text: string, at: number): number {
  BRACKET_OR_LINE_END.lastIndex = at;
  let depth = 0;
  for (let found = BRACKET_OR_LINE_END.exec(text); found !== null; found = BRACKET_OR_LINE_END.exec(text)) {
    const sign = found[0];
    if (sign === "\n") {
      if (depth <= 0 || /[^\s)\]}]/.test(text[found.index + 1] ?? "")) return found.index;
    } else depth += "([{".includes(sign) ? 1 : -1;
  }
  return text.length;
}

/** The end of the last line before the next unindented line. */
function blockEnd(text: string, from: number): number {
  TOP_LINE.lastIndex = from;
  return TOP_LINE.exec(text)?.index ?? text.length;
}

/**
 * Removes the indentation of the first line from every line, including lines inside strings, which marimo indents, too.
 */
function dedent(text: string): string {
  const width = /^[ \t]*(?=[^ \t\n])/m.exec(text)?.[0].length ?? 0;
  const bare = width === 0 ? text : text.replace(new RegExp(`(?<![^\\n])[ \\t]{1,${width}}`, "g"), "");
  return bare.replace(/^\n+/, "").trimEnd();
}

/** Removes marimo's `return` at the end, which may have several lines. */
function dropReturn(source: string): string {
  const at = source.startsWith("return") ? 0 : source.lastIndexOf("\nreturn") + 1;
  const last = source.slice(at);
  return /^return\b[^\n]*(?:\n(?:[\s)\]}][^\n]*)?)*$/.test(last) ? source.slice(0, at).trimEnd() : source;
}
