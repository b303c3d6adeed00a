import { columnTitle, type ReportDescription, showCell, type Table, tablesOf } from "./description.js";
import type { Report } from "./write-reports.js";

const MAX_ROWS = 200;

/** Title, lead and tables as GitHub's Markdown shows them. */
export const markdown: Report = {
  name: "md",
  extensions: [".md"],
  render: (_, describe) => renderMarkdown(describe()),
};

export function* renderMarkdown(description: ReportDescription): Generator<string> {
  yield `# ${description.title}\n`;
  if (description.lead !== "") yield `\n${description.lead}\n`;
  for (const table of tablesOf(description)) if (!table.isLong) yield* renderTable(table);
}

function* renderTable({ name, note, columns, rows, isComplete }: Table): Generator<string> {
  const rule = columns.map(({ format = "text" }) => (format === "text" ? "---" : "---:"));
  yield `\n## ${name[0]!.toUpperCase()}${name.slice(1)}\n\n${note === undefined ? "" : `${note}\n\n`}`;
  yield line(columns.map(columnTitle)) + line(rule);
  const max = isComplete ? Number.POSITIVE_INFINITY : MAX_ROWS;
  let count = 0;
  for (const row of rows()) {
    count += 1;
    if (count <= max) yield line(row.map((cell, at) => showCell(cell, columns[at]!)));
  }
  if (count > max) yield `\n${count - max} more rows are in the json, csv and xlsx reports.\n`;
}

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |\n`;
