import type { Report } from "./report.js";
import type { Table, Value } from "./table.js";

/** Too long for a page that is read; json, csv and xlsx have them. */
const LEFT_OUT = new Set(["per query", "per case", "per cell"]);
const MOST_ROWS = 200;
/** Tables of words, which start at the left. */
const WORDS = new Set(["manifest"]);

/** The tables as GitHub's Markdown shows them. */
export const markdown: Report = {
  name: "md",
  extensions: [".md"],
  *render(document, view) {
    yield `# celrec eval ${document.suite}\n`;
    for (const table of view.tables()) if (!LEFT_OUT.has(table.name)) yield* renderTable(table);
  },
};

function* renderTable({ name, columns, rows }: Table): Generator<string> {
  const rule = columns.map((_, at) => (at === 0 || WORDS.has(name) ? "---" : "---:"));
  yield `\n## ${name[0]!.toUpperCase()}${name.slice(1)}\n\n${line(columns)}${line(rule)}`;
  let count = 0;
  for (const row of rows()) {
    count += 1;
    if (count <= MOST_ROWS) yield line(row.map(show));
  }
  if (count > MOST_ROWS) yield `\n${count - MOST_ROWS} more rows are in the json, csv and xlsx reports.\n`;
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

function show(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toFixed(4);
  return value.replaceAll("|", "\\|").replaceAll("\n", " ");
}
