import { flattenTable, tablesOf, type Value } from "./description.js";
import type { Report } from "./write-reports.js";

/**
 * All tables in one file, one value per line: `table,row,column,value`. Tables with different columns cannot share a
 * header, and any tool can filter and pivot this form. For separate tables use xlsx.
 */
export const csv: Report = {
  name: "csv",
  extensions: [".csv"],
  *render(_, describe) {
    yield line(["table", "row", "column", "value"]);
    for (const table of tablesOf(describe())) {
      const { heads, rows } = flattenTable(table);
      for (const [row, ...values] of rows()) {
        for (const [at, value] of values.entries()) {
          if (value !== null) yield line([table.name, row!, heads[at + 1]!, value]);
        }
      }
    }
  },
};

/** Quotes a value as in RFC 4180. */
const line = (values: readonly Value[]): string => `${values.map(quote).join(",")}\r\n`;

/** Prefixes text that looks like a formula with an apostrophe, because spreadsheets would execute it. */
function quote(value: Value): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
