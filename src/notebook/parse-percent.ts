import { MOST_CELLS, rejectCells } from "./limits.js";
import type { NotebookCell, ParsedNotebook } from "./notebook.js";

interface Block {
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

/** `# %%time` is no marker but a magic that was commented out. */
const MARKER =
  /^#[^\S\n]*%%(?!(?:bash|bigquery|capture|cython|file|html|HTML|javascript|js|latex|perl|prun|R|ruby|script|sh|sql|svg|SVG|time|timeit|writefile)\b)(.*)$/m;
/** Editors that write this format comment magics out, so that the script stays Python. */
const COMMENTED_MAGIC = /(?<![^\n])([^\S\n]*)# ?(?=(?:!|%%?)[A-Za-z])/g;
const COMMENT_MARK = /(?<![^\n])# ?/g;

/** Whether a script is in percent format: somewhere a line starts a cell with `# %%`. */
export function isPercentScript(text: string): boolean {
  return MARKER.test(text);
}

/** Reads a Python script in percent format, line ends as LF; what stands before the first marker is a cell too. */
export function parsePercent(text: string): ParsedNotebook {
  const blocks = findBlocks(text);
  if (blocks === null) return rejectCells();
  const [first, ...marked] = blocks;
  const cells = text.slice(first!.start, first!.end).trim() === "" ? marked : blocks;
  return { notebook: { cells: cells.map((block, index) => readBlock(text, block, index)) } };
}

/** Places only, until all are found: a file of nothing but markers must not cost many times its size. */
function findBlocks(text: string): Block[] | null {
  const blocks: Block[] = [];
  let title = "";
  let start = skipHeader(text);
  for (let at = start; at < text.length; ) {
    const end = lineEnd(text, at);
    const marker = text[at] === "#" ? MARKER.exec(text.slice(at, end)) : null;
    if (marker !== null) {
      if (blocks.length === MOST_CELLS) return null;
      blocks.push({ title, start, end: Math.max(start, at - 1) });
      title = marker[1]!;
      start = end + 1;
    }
    at = end + 1;
  }
  return [...blocks, { title, start, end: text.length }];
}

/** Where the cells begin: behind the comment block between two `# ---` with which editors start a file. */
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

/** Without blank lines at the start and white space at the end. */
function trimBlank(text: string): string {
  let start = 0;
  for (let at = 0; text[at] === " " || text[at] === "\t" || text[at] === "\n"; at += 1) {
    if (text[at] === "\n") start = at + 1;
  }
  return text.slice(start).trimEnd();
}
