import type { IndexIdentity, StoredCell } from "../vector-store.js";
import type { Database } from "./database.js";
import { createLabelCodec } from "./label-bits.js";

/** Cells that are handed out at a time. */
const BATCH = 256;

/** The cells of an index of any identity, a batch at a time, by row. */
export function createStoredCells(database: Database) {
  const batch = database
    .prepare<[number]>(
      `select row, id, code, clean, labels, primary_label from cells where row > ? order by row limit ${BATCH}`,
    )
    .raw();
  const set = JSON.parse(
    (database.prepare("select value from meta where key = 'identity'").raw().get() as [string])[0],
  ) as IndexIdentity;
  const codec = createLabelCodec(set.labels);
  return {
    after: (row: number): { row: number; cell: StoredCell }[] =>
      (batch.all(row) as [number, string, Buffer, Buffer, number, number][]).map(
        ([at, id, code, clean, bits, primary]) => ({
          row: at,
          cell: { id, code: code.toString(), clean: clean.toString(), ...codec.decode({ bits, primary }) },
        }),
      ),
  };
}
