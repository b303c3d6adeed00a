import writeExcelFile, { type Cell, type Sheet } from "write-excel-file/node";
import type { Report } from "./report.js";
import type { Table, Value } from "./table.js";

/** What Excel takes at most, in a sheet and in a cell. */
const MOST_ROWS = 1_048_576;
const MOST_CHARACTERS = 32_767;

/** One sheet per table, heads frozen. */
export const xlsx: Report = {
  name: "xlsx",
  extensions: [".xlsx"],
  async *render(_, view) {
    yield await writeExcelFile(view.tables().map(toSheet)).toBuffer();
  },
};

function toSheet({ name, columns, rows }: Table): Sheet<never> {
  const data: Cell[][] = [columns.map((value) => ({ value, fontWeight: "bold" }) as const)];
  for (const row of rows()) {
    if (data.length === MOST_ROWS) break;
    data.push(row.map(toCell));
  }
  return {
    sheet: name,
    data,
    columns: columns.map((_, at) => ({ width: at === 0 ? 36 : 14 })),
    stickyRowsCount: 1,
    stickyColumnsCount: 1,
  };
}

function toCell(value: Value): Cell {
  if (typeof value === "string") return value.slice(0, MOST_CHARACTERS);
  return value === null || Number.isInteger(value) ? value : { value, format: "0.0000" };
}
