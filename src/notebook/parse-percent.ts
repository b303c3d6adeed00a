import type { NotebookCell, NotebookFile } from "./notebook.js";

/** `# %%time` is no marker but a magic that was commented out. */
const MARKER =
  /^#[^\S\n]*%%(?!(?:bash|bigquery|capture|cython|file|html|HTML|javascript|js|latex|perl|prun|R|ruby|script|sh|sql|svg|SVG|time|timeit|writefile)\b)(.*)$/m;
const HEADER = /^# ---\n(?:#[^\n]*\n)*?# ---\n/;
/** Editors that write this format comment magics out, so that the script stays Python. */
const COMMENTED_MAGIC = /^(\s*)# ?(?=(?:!|%%?)[A-Za-z])/;

/** Whether a script is in percent format: somewhere a line starts a cell with `# %%`. */
export function isPercentScript(text: string): boolean {
  return MARKER.test(text);
}

/** Reads a Python script in percent format; what stands before the first marker is a cell too. */
export function parsePercent(text: string): NotebookFile {
  const body = text
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(HEADER, "");
  const blocks: { title: string; lines: string[] }[] = [{ title: "", lines: [] }];
  for (const line of body.split("\n")) {
    const marker = MARKER.exec(line);
    if (marker === null) blocks.at(-1)!.lines.push(line);
    else blocks.push({ title: marker[1]!, lines: [] });
  }
  const cells = blocks.slice(blocks[0]!.lines.join("").trim() === "" ? 1 : 0);
  return { cells: cells.map(({ title, lines }, index) => readBlock(title, lines, index)) };
}

function readBlock(title: string, lines: readonly string[], index: number): NotebookCell {
  if (/\[(markdown|md)\]/i.test(title)) {
    return { index, type: "markdown", source: trimBlank(lines.map((line) => line.replace(/^# ?/, ""))) };
  }
  const type = /\[raw\]/i.test(title) ? "other" : "code";
  return { index, type, source: trimBlank(lines.map((line) => line.replace(COMMENTED_MAGIC, "$1"))) };
}

function trimBlank(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}
