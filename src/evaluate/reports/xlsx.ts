import writeExcelFile, { type Cell, type Sheet } from "write-excel-file/node";
import { flattenTable, type Table, tablesOf, type Value } from "./description.js";
import type { Report } from "./write-reports.js";

/** Excel's limits for a sheet and for a cell. */
const MAX_ROWS = 1_048_576;
const MAX_CHARACTERS = 32_767;

/** One sheet per table, heads frozen. */
export const xlsx: Report = {
  name: "xlsx",
  extensions: [".xlsx"],
  async *render(_, describe) {
    yield await writeExcelFile(tablesOf(describe()).map(toSheet)).toBuffer();
  },
};

function toSheet(table: Table): Sheet<never> {
  const { heads, rows } = flattenTable(table);
  const data: Cell[][] = [heads.map((value) => ({ value, fontWeight: "bold" }) as const)];
  for (const row of rows()) {
    if (data.length === MAX_ROWS) break;
    data.push(row.map(toCell));
  }
  return {
    sheet: table.name,
    data,
    columns: heads.map((_, at) => ({ width: at === 0 ? 36 : 14 })),
    stickyRowsCount: 1,
    stickyColumnsCount: 1,
  };
}

function toCell(value: Value): Cell {
  if (typeof value === "string") return value.slice(0, MAX_CHARACTERS);
  return value === null || Number.isInteger(value) ? value : { value, format: "0.0000" };
}
