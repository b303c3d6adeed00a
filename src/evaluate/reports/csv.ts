import type { Report } from "./report.js";
import type { Value } from "./table.js";

/**
 * All tables in one file, one value per line: `table,row,column,value`. Tables of different columns cannot share one
 * head, and this form filters and pivots in any tool; for a table to look at there is xlsx.
 */
export const csv: Report = {
  name: "csv",
  extensions: [".csv"],
  *render(_, view) {
    yield line(["table", "row", "column", "value"]);
    for (const { name, columns, rows } of view.tables()) {
      for (const [row, ...values] of rows()) {
        for (const [at, value] of values.entries()) {
          if (value !== null) yield line([name, row!, columns[at + 1]!, value]);
        }
      }
    }
  },
};

/** RFC 4180. */
const line = (values: readonly Value[]): string => `${values.map(quote).join(",")}\r\n`;

/** A spreadsheet would take text that starts like a formula for one; behind an apostrophe it is text. */
function quote(value: Value): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
