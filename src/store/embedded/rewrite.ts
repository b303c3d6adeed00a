import { checksum, writeVector } from "../stored-bytes.js";
import type { IndexIdentity, Revision, StoredCell } from "../vector-store.js";
import type { CellReads } from "./cell-reads.js";
import { type Database, foldLog, inTransaction } from "./database.js";
import type { LabelCodec } from "./label-bits.js";
import { recount, startGeneration } from "./state.js";

/** The stored fields of a revised cell besides its vector. */
const ROW_BYTES = 100;

/** Revised cells are collected in a separate table, and replace the old ones in one transaction at the end. */
export async function rewriteCells(
  database: Database,
  stored: CellReads,
  codec: LabelCodec,
  identity: IndexIdentity,
  revise: (cells: readonly StoredCell[]) => Promise<readonly Revision[]>,
  demand: (bytes: number) => void,
): Promise<void> {
  database.exec(
    "drop table if exists revised; create table revised (row integer primary key, labels, primary_label, checksum, vector)",
  );
  const insert = database.prepare<[number, number | null, number | null, number | null, Buffer | null]>(
    "insert into revised (row, labels, primary_label, checksum, vector) values (?, ?, ?, ?, ?)",
  );
  const put = (row: number, clean: string, revision: Revision) => {
    if (revision === null) return insert.run(row, null, null, null, null);
    const { bits, primary } = codec.encode(revision.labels, revision.primary);
    const sum = checksum(Buffer.from(clean), bits, primary);
    return insert.run(row, bits, primary, sum, writeVector(revision.vector));
  };
  const bytes = 4 * identity.dimensions + ROW_BYTES;
  try {
    for (let batch = stored.after(0); batch.length > 0; batch = stored.after(batch.at(-1)!.row)) {
      const revisions = await revise(batch.map(({ cell }) => cell));
      demand(bytes * batch.length);
      inTransaction(database, () => {
        for (const [index, { row, cell }] of batch.entries()) put(row, cell.clean, revisions[index] ?? null);
      });
    }
    inTransaction(database, () => swapIn(database, identity));
  } catch (error) {
    abandonRewrite(database);
    throw error;
  }
}

/** Frees the space of an abandoned rewrite. */
function abandonRewrite(database: Database): void {
  try {
    database.exec("drop table if exists revised");
    foldLog(database);
  } catch {
    // An error is ignored, because the next rewrite removes the table first.
  }
}

/** Cells without a vector are removed, and count as skipped in their notebooks. */
function swapIn(database: Database, identity: IndexIdentity): void {
  database.exec(`
    create temp table gone as select row from revised where vector is null;
    update notebooks set skipped = skipped + (
      select count(*) from positions p where p.notebook = notebooks.row and p.cell in (select row from gone));
    delete from positions where cell in (select row from gone);
    delete from occurrences where cell in (select row from gone);
    delete from cells where row in (select row from gone);
    delete from vectors where row in (select row from gone);
    update cells set (labels, primary_label, checksum) =
      (select r.labels, r.primary_label, r.checksum from revised r where r.row = cells.row);
    update vectors set vector = (select r.vector from revised r where r.row = vectors.row);
    drop table gone;
    drop table revised;
  `);
  startGeneration(database, identity);
  recount(database);
}
