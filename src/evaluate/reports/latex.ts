import { columnTitle, type ReportDescription, showCell, type Table, tablesOf } from "./description.js";
import type { Report } from "./write-reports.js";

/** Maximum rows of a table on one page; longer tables span pages. */
const MAX_ROWS = 40;
/** Characters per line in the document class `article`, at the font size of the tables. */
const PAGE_CHARACTERS = 74;
/** Width of the space between two columns. */
const COLUMN_GAP = 2;
/** Maximum characters of a name in the first column; longer names are wrapped. */
const MAX_NAME = 28;
const NAME_WIDTH = "0.34\\textwidth";
const TABLE_FONT = "\\footnotesize\\setlength{\\tabcolsep}{4pt}";

/** The tables for a paper: `\input` the file, with the packages array, booktabs and longtable. */
export const latex: Report = {
  name: "tex",
  extensions: [".tex"],
  render: (_, describe) => renderLatex(describe()),
};

export function* renderLatex(description: ReportDescription): Generator<string> {
  yield `% ${oneLine(description.title)}\n% Needs \\usepackage{array,booktabs,longtable}\n`;
  // The manifest and tables with one row per query are only in other formats.
  for (const table of tablesOf(description))
    if (!table.isLong && !table.isComplete && table.name !== "manifest") yield* renderTable(table, description.title);
}

function* renderTable({ name, note, columns, rows }: Table, title: string): Generator<string> {
  const lines = [...rows()];
  const used = columns.filter((_, at) => lines.some((row) => row[at] !== null && row[at] !== ""));
  if (used.length === 0) return;
  const printed = used.map((column): PrintedColumn => {
    const at = columns.indexOf(column);
    const cells = lines.map((line) => oneLine(showCell(line[at] ?? null, column)));
    const side = (column.format ?? "text") === "text" ? "l" : "r";
    const longest = Math.max(0, ...cells.map((cell) => cell.length));
    const words = wrapWords(columnTitle(column), longest);
    const characters = Math.max(longest, ...words.map((word) => word.length));
    return { head: stackLines(words, side), cells, characters, side };
  });
  const parts = splitToPage(printed);
  for (const [at, part] of parts.entries()) {
    const which = parts.length === 1 ? "" : ` (${at + 1} of ${parts.length})`;
    const label = slug(`${title} ${name}${parts.length === 1 ? "" : ` ${at + 1}`}`);
    yield* renderPart(part, {
      caption: `\\caption{${escapeLatex(`${oneLine(title)}: ${name}${which}.${note === undefined ? "" : ` ${note}`}`)}}`,
      label: `\\label{tab:${label}}`,
      rows: lines.length,
    });
  }
}

interface PrintedColumn {
  /** The head in LaTeX. */
  readonly head: string;
  readonly cells: readonly string[];
  /** Length of the longest cell. */
  readonly characters: number;
  readonly side: string;
}

/** Splits the columns into tables that fit on a page. Every table repeats the first column. */
function splitToPage([first, ...others]: readonly PrintedColumn[]): PrintedColumn[][] {
  const name = first!;
  // Wrap long names.
  const isLong = name.characters > MAX_NAME;
  const left = isLong
    ? { ...name, characters: MAX_NAME, side: `>{\\raggedright\\arraybackslash}p{${NAME_WIDTH}}` }
    : name;
  const parts: PrintedColumn[][] = [[left]];
  let width = left.characters;
  for (const column of others) {
    if (width + COLUMN_GAP + column.characters > PAGE_CHARACTERS && parts.at(-1)!.length > 1) {
      parts.push([left]);
      width = left.characters;
    }
    parts.at(-1)!.push(column);
    width += COLUMN_GAP + column.characters;
  }
  return parts;
}

function* renderPart(
  columns: readonly PrintedColumn[],
  { caption, label, rows }: { caption: string; label: string; rows: number },
): Generator<string> {
  const sides = columns.map(({ side }) => side).join("");
  const head = row(columns.map((column) => column.head));
  const cells = (at: number) =>
    columns.map(({ cells, side }) => (side.includes("p{") ? breakable : escapeLatex)(cells[at]!));
  const body = Array.from({ length: rows }, (_, at) => row(cells(at)));
  yield "\n";
  if (rows > MAX_ROWS) {
    yield `{${TABLE_FONT}\n\\begin{longtable}{${sides}}\n${caption}${label}\\\\\n\\toprule\n${head}\\midrule\n\\endfirsthead\n`;
    yield `\\toprule\n${head}\\midrule\n\\endhead\n`;
    yield* body;
    yield "\\bottomrule\n\\end{longtable}}\n";
    return;
  }
  yield `\\begin{table}\n\\centering${TABLE_FONT}\n${caption}${label}\n\\begin{tabular}{${sides}}\n\\toprule\n${head}\\midrule\n`;
  yield* body;
  yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

const row = (cells: readonly string[]): string => `${cells.join(" & ")} \\\\\n`;

/** Breaks a title into lines to keep its column narrow. */
function wrapWords(title: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of title.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const stackLines = (lines: readonly string[], side: string): string =>
  lines.length === 1
    ? escapeLatex(lines[0]!)
    : `\\begin{tabular}[b]{@{}${side}@{}}${lines.map(escapeLatex).join("\\\\")}\\end{tabular}`;

/** Allows line breaks in a path or name. */
const breakable = (text: string): string => escapeLatex(text).replace(/(\/|\\_|#)/g, "$1\\allowbreak{}");

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

const SPECIAL: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "''",
};

/** Escapes a text for LaTeX. */
export const escapeLatex = (text: string): string =>
  text.replace(/[\\~^<>|"#$%&_{}]/g, (char) => SPECIAL[char] ?? `\\${char}`);
