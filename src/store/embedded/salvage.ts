import { createHash } from "node:crypto";
import { checksum } from "../checksum.js";
import type { CellPosition, IndexIdentity, NewCell, Notebook } from "../vector-store.js";
import type { Database } from "./database.js";
import { createLabelCodec } from "./label-bits.js";
import { readVector } from "./vector-blob.js";

/** A notebook as far as it can be read. */
export interface Salvaged extends Omit<Notebook, "cells"> {
  readonly positions: readonly CellPosition[];
  readonly cells: readonly NewCell[];
  /** Whether every cell that it had is there. */
  readonly isWhole: boolean;
}

type NotebookFields = [Buffer, Buffer, Buffer, Buffer, number, number, Buffer];
type CellFields = [Buffer, Buffer, Buffer, number, number, number, Buffer];

/** Reads a damaged database row by row: what cannot be read, or is not what was stored, is passed over. */
export function createSalvage(database: Database, fallback: IndexIdentity) {
  const identity = attempt(() => readIdentity(database)) ?? fallback;
  const codec = createLabelCodec(identity.labels);
  const notebookAt = database
    .prepare<[number]>(
      `select cast(id as blob), cast(source as blob), cast(name as blob), cast(version as blob), cast(skipped as integer),
        cast(cells as integer), cast(facts as blob) from notebooks where row = ?`,
    )
    .raw();
  const positionsOf = database
    .prepare<[number]>("select cast(cell_index as integer), cast(cell as integer) from positions where notebook = ?")
    .raw();
  const cellAt = database
    .prepare<[number]>(
      `select cast(c.id as blob), cast(c.code as blob), cast(c.clean as blob), cast(c.labels as integer),
        cast(c.primary_label as integer), cast(c.checksum as integer), cast(v.vector as blob)
        from cells c join vectors v on v.row = c.row where c.row = ?`,
    )
    .raw();

  const readCell = (row: number): NewCell | null => {
    const [id, code, clean, bits, primary, sum, blob] = cellAt.get(row) as CellFields;
    const vector = readVector(blob, identity.dimensions);
    if (vector === null || checksum(clean, bits, primary) !== sum) return null;
    if (!createHash("sha256").update(code).digest().equals(id)) return null;
    const labels = codec.decode({ bits, primary });
    return { id: id.toString("hex"), code: code.toString(), clean: clean.toString(), ...labels, vector };
  };

  const readNotebook = (row: number): Salvaged | undefined => {
    const found = notebookAt.get(row) as NotebookFields | undefined;
    if (found === undefined) return undefined;
    const [id, source, name, version, skipped, count, facts] = found;
    // The id is a hash of these two.
    if (
      !createHash("sha256")
        .update(Buffer.concat([source, Buffer.from("\n"), name]))
        .digest()
        .equals(id)
    )
      throw new Error("the notebook is not what was stored");
    const held = (attempt(() => positionsOf.all(row)) ?? []) as [number, number][];
    const cells = held.flatMap(([cellIndex, cell]) => {
      const read = attempt(() => readCell(cell));
      return read == null ? [] : [{ cellIndex, read }];
    });
    cells.sort((one, other) => one.cellIndex - other.cellIndex);
    return {
      id: id.toString("hex"),
      source: source.toString(),
      name: name.toString(),
      version: version.toString(),
      skipped,
      facts: JSON.parse(facts.toString()) as Notebook["facts"],
      positions: cells.map(({ cellIndex, read }) => ({ cellIndex, id: read.id })),
      cells: cells.map(({ read }) => read),
      isWhole: cells.length === count,
    };
  };

  return {
    identity,
    /** Null for a notebook that cannot be read. */
    *notebooks(): Generator<Salvaged | null> {
      const last = lastRow(database);
      for (let row = 1; row <= last; row += 1) {
        const read = attempt(() => readNotebook(row));
        if (read !== undefined) yield read;
      }
    },
  };
}

function readIdentity(database: Database): IndexIdentity {
  const [bytes] = database.prepare("select cast(identity as blob) from state").raw().get() as [Buffer];
  return JSON.parse(bytes.toString()) as IndexIdentity;
}

function lastRow(database: Database): number {
  const read = (sql: string) => attempt(() => (database.prepare(sql).raw().get() as [number])[0]);
  return (
    read("select seq from sqlite_sequence where name = 'notebooks'") ?? read("select max(row) from notebooks") ?? 0
  );
}

/** Null where it throws. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
