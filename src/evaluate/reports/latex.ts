import { type Column, columnTitle, type ReportDescription, showCell, type Table, tablesOf } from "./description.js";
import type { Report } from "./write-reports.js";

/** Longer tables go over several pages. */
const MAX_ROWS = 40;

/** The tables for a paper: `\input` the file, with the packages booktabs and longtable. */
export const latex: Report = {
  name: "tex",
  extensions: [".tex"],
  render: (_, describe) => renderLatex(describe()),
};

export function* renderLatex(description: ReportDescription): Generator<string> {
  yield `% ${oneLine(description.title)}\n% Needs \\usepackage{booktabs,longtable}\n`;
  // How to repeat the run, and one row per query, are for other formats.
  for (const table of tablesOf(description))
    if (!table.isLong && !table.isComplete && table.name !== "manifest") yield* renderTable(table, description.title);
}

function* renderTable({ name, note, columns, rows }: Table, title: string): Generator<string> {
  const lines = [...rows()];
  if (lines.length === 0) return;
  const used = columns.map((_, at) => lines.some((row) => row[at] !== null && row[at] !== ""));
  const shown = columns.filter((_, at) => used[at]);
  const aligned = shown.map(({ format = "text" }) => (format === "text" ? "l" : "r")).join("");
  const head = row(shown.map((column) => columnTitle(column)));
  const body = lines.map((cells) =>
    row(cells.filter((_, at) => used[at]).map((cell, at) => showCell(cell, shown[at] as Column))),
  );
  const caption = `\\caption{${escapeLatex(`${oneLine(title)}: ${name}.${note === undefined ? "" : ` ${note}`}`)}}\\label{tab:${name.replace(/[^a-z0-9]+/gi, "-").toLowerCase()}}`;
  yield "\n";
  if (lines.length > MAX_ROWS) {
    yield `\\begin{longtable}{${aligned}}\n${caption}\\\\\n\\toprule\n${head}\\midrule\n\\endhead\n`;
    yield* body;
    yield "\\bottomrule\n\\end{longtable}\n";
    return;
  }
  yield `\\begin{table}\n\\centering\n${caption}\n\\begin{tabular}{${aligned}}\n\\toprule\n${head}\\midrule\n`;
  yield* body;
  yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

const row = (cells: readonly string[]): string =>
  `${cells.map((cell) => escapeLatex(oneLine(cell))).join(" & ")} \\\\\n`;

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\textquotedbl{}",
};

/** A text as LaTeX prints it. */
export const escapeLatex = (text: string): string =>
  text.replace(/[\\~^<>|"#$%&_{}]/g, (char) => SPECIAL[char] ?? `\\${char}`);
