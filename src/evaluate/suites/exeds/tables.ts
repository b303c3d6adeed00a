import { predictionTables } from "../../predictions/tables.js";
import type { Table } from "../../reports/table.js";
import type { ExedsResult } from "./document.js";

/** Those of every suite of predictions, and how the first results ended. */
export function exedsTables(document: ExedsResult): Table[] {
  return predictionTables(document).toSpliced(1, 0, endingsTable(document));
}

/** As they are, then adapted. */
function endingsTable({ endings }: ExedsResult): Table {
  const rows = (["raw", "adapted"] as const).flatMap((kind) =>
    Object.entries(endings[kind]).map(([ended, count]) => [`${kind} code`, ended, count]),
  );
  return { name: "endings", columns: ["executed", "ended with", "cases"], rows: () => rows };
}
