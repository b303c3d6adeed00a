import { createHash } from "node:crypto";
import { RecommenderError } from "../../errors.js";
import { checksum } from "../checksum.js";
import type { IndexIdentity } from "../vector-store.js";
import { type Database, hasTable } from "./database.js";
import { readJson } from "./guard.js";
import { idOfCode } from "./hex-id.js";
import { LAYOUT, SCHEMA } from "./schema.js";
import { recount, startGeneration } from "./state.js";
import { inTransaction } from "./transaction.js";
import { writeVector } from "./vector-blob.js";

/** Notebooks had no source before layout 2; they count as uploaded. */
const SOURCE = "upload";
const OLD = ["meta", "cells", "notebooks", "occurrences", "removed"];

/** Makes the tables of a new index, or brings those of an older layout over. Call with the writer's lock held. */
export function prepareLayout(database: Database, folder: string, identity: IndexIdentity): void {
  inTransaction(database, () => {
    if (hasTable(database, "state")) return checkLayout(database, folder);
    if (hasTable(database, "meta")) return bringOver(database, folder);
    database.exec(SCHEMA);
    startGeneration(database, identity);
  });
}

/** Throws where a newer program made the index. */
export function checkLayout(database: Database, folder: string): void {
  const [layout] = (database.prepare("select cast(layout as integer) from state").raw().get() as
    | [number]
    | undefined) ?? [LAYOUT];
  if (layout > LAYOUT) {
    throw new RecommenderError(
      "INDEX_MISMATCH",
      `The index in ${folder} has layout ${layout}, and this celrec reads up to ${LAYOUT}. Use the newer celrec that made it.`,
    );
  }
}

function bringOver(database: Database, folder: string): void {
  const identity = readOldIdentity(database, folder);
  for (const table of OLD) database.exec(`alter table ${table} rename to old_${table}`);
  database.exec("drop index if exists occurrences_by_cell");
  database.exec(SCHEMA);
  startGeneration(database, identity);
  bringCells(database, identity.dimensions);
  bringNotebooks(database);
  database.exec(`
    insert into positions (notebook, cell_index, cell)
      select o.notebook, o.cell_index, m.row from old_occurrences o join moved m on m.old = o.cell;
    insert into occurrences (cell, source, name, cell_index, notebook)
      select p.cell, n.source, n.name, p.cell_index, p.notebook from positions p join notebooks n on n.row = p.notebook;
    drop table moved;
  `);
  for (const table of OLD) database.exec(`drop table old_${table}`);
  recount(database);
}

function readOldIdentity(database: Database, folder: string): IndexIdentity {
  const [value] = database.prepare("select cast(value as blob) from meta where key = 'identity'").raw().get() as [
    Buffer,
  ];
  return readJson(folder, value, "what it was made with");
}

/** The id of a cell is now that of its code without any trailing newline; two that differed in those only become one. */
function bringCells(database: Database, dimensions: number): void {
  database.exec("create temp table moved (old integer primary key, row integer not null)");
  const insert = database.prepare<[number, Buffer, Buffer, Buffer, number, number, number]>(
    `insert into cells (row, id, code, clean, labels, primary_label, checksum) values (?, ?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`,
  );
  const insertVector = database.prepare<[number, Buffer]>("insert into vectors (row, vector) values (?, ?)");
  const rowOf = database.prepare<[string]>("select row from cells where id = unhex(?)").raw();
  const move = database.prepare<[number, number]>("insert into moved (old, row) values (?, ?)");
  const batch = database
    .prepare<[number]>(
      `select row, cast(code as blob), cast(clean as blob), cast(labels as integer), cast(primary_label as integer), cast(vector as blob)
        from old_cells where row > ? order by row limit 500`,
    )
    .raw();
  type Row = [number, Buffer, Buffer, number, number, Buffer];
  for (let rows = batch.all(0) as Row[]; rows.length > 0; rows = batch.all(rows.at(-1)![0]) as Row[]) {
    for (const [row, stored, clean, bits, primary, vector] of rows) {
      const code = withoutTrailingNewlines(stored);
      const id = idOfCode(code);
      const { changes } = insert.run(row, id, code, clean, bits, primary, checksum(clean, bits, primary));
      if (changes > 0) insertVector.run(row, writeVector(toVector(vector, dimensions)));
      move.run(row, changes > 0 ? row : (rowOf.get(id.toString("hex")) as [number])[0]);
    }
  }
}

function bringNotebooks(database: Database): void {
  const hasSource = (database.prepare("select name from pragma_table_info('old_notebooks')").raw().all() as [string][])
    .map(([name]) => name)
    .includes("source");
  const fields = hasSource ? "cast(source as blob), cast(facts as blob)" : "null, null";
  const all = database.prepare(
    `select row, cast(name as blob), cast(version as blob), cast(skipped as integer), ${fields} from old_notebooks`,
  );
  const insert = database.prepare<[number, Buffer, Buffer, Buffer, Buffer, number, Buffer]>(
    "insert into notebooks (row, id, source, name, version, skipped, cells, facts) values (?, ?, ?, ?, ?, ?, 0, ?)",
  );
  type Row = [number, Buffer, Buffer, number, Buffer | null, Buffer | null];
  for (const [row, name, version, skipped, from, facts] of all.raw().all() as Row[]) {
    const source = from ?? Buffer.from(SOURCE);
    const id = createHash("sha256")
      .update(Buffer.concat([source, Buffer.from("\n"), name]))
      .digest();
    insert.run(row, id, source, name, version, skipped, facts ?? Buffer.from("{}"));
  }
}

function withoutTrailingNewlines(code: Buffer): Buffer {
  let end = code.length;
  while (end > 0 && code[end - 1] === 10) end -= 1;
  return code.subarray(0, end);
}

function toVector(blob: Buffer, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  new Uint8Array(vector.buffer).set(blob.subarray(0, 4 * dimensions));
  return vector;
}
