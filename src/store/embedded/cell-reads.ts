import { checksum, idOfCode, isId, readVector } from "../stored-bytes.js";
import type { StoredCell } from "../vector-store.js";
import type { Database } from "./database.js";
import { damaged } from "./disk-errors.js";
import type { LabelCodec } from "./label-bits.js";

/** Cells per batch. */
const BATCH = 256;
/** The columns have explicit casts, because a damaged row may hold another type. */
const FIELDS =
  "cast(c.code as blob), cast(c.clean as blob), cast(c.labels as integer), cast(c.primary_label as integer), cast(c.checksum as integer)";

type CellFields = [code: Buffer, clean: Buffer, bits: number, primary: number, sum: number];

/** Reads of cells, without their notebooks. */
export function createCellReads(database: Database, folder: string, codec: LabelCodec, dimensions: number) {
  const prepare = <T extends unknown[]>(sql: string) => database.prepare<T>(sql).raw();
  // One statement for many cells: a driver call costs more than a row.
  const unknown = prepare<[string]>(
    "select key from json_each(?) where not exists (select 1 from cells where id = unhex(value))",
  );
  const byId = prepare<[string]>(
    `select j.key, ${FIELDS} from json_each(?) j cross join cells c on c.id = unhex(j.value)`,
  );
  const after = prepare<[number]>(
    `select c.row, cast(c.id as blob), ${FIELDS} from cells c where c.row > ? order by c.row limit ${BATCH}`,
  );
  const vectorsByRow = prepare<[string]>(
    "select j.key, cast(v.vector as blob) from json_each(?) j cross join vectors v on v.row = j.value",
  );
  // All profiles are concatenated in one row, with their lengths: passing a hundred rows to JavaScript is slower than
  // reading them.
  const profilesByRow = prepare<[string]>(
    `select cast(group_concat(cast(v.profile as text), '') as blob), json_group_array(j.key), json_group_array(octet_length(v.profile))
          from json_each(?) j cross join vectors v on v.row = j.value where v.profile is not null`,
  );
  const row = prepare<[string]>("select row from cells where id = unhex(?)");

  const toCell = (id: string, [code, clean, bits, primary, sum]: CellFields): StoredCell => {
    if (idOfCode(code) !== id || checksum(clean, bits, primary) !== sum) {
      throw damaged(folder, `the cell ${id} differs from what was stored`);
    }
    return { id, code: code.toString(), clean: clean.toString(), ...codec.decode({ bits, primary }) };
  };

  return {
    rowOf(id: string): number | undefined {
      return isId(id) ? (row.get(id) as [number] | undefined)?.[0] : undefined;
    },

    missing(ids: readonly string[]): Set<string> {
      // Text that is not an id is passed as an empty string, which matches no cell.
      const safeIds = ids.map((id) => (isId(id) ? id : ""));
      return new Set((unknown.all(JSON.stringify(safeIds)) as [number][]).map(([key]) => ids[key]!));
    },

    cells(ids: readonly string[]): StoredCell[] {
      const wanted = ids.filter(isId);
      const rows = byId.all(JSON.stringify(wanted)) as [number, ...CellFields][];
      return rows.sort(([a], [b]) => a - b).map(([key, ...fields]) => toCell(wanted[key]!, fields));
    },

    /** The batch of cells after a row. */
    after: (row: number): { row: number; cell: StoredCell }[] =>
      (after.all(row) as [number, Buffer, ...CellFields][]).map(([at, id, ...fields]) => ({
        row: at,
        cell: toCell(id.toString("hex"), fields),
      })),

    /** The packed profiles of rows, in their order; null for one that has none. */
    profiles(rows: readonly number[]): (Uint8Array | null)[] {
      const found: (Uint8Array | null)[] = rows.map(() => null);
      if (rows.length === 0) return found;
      const [all, keys, lengths] = profilesByRow.get(JSON.stringify(rows)) as [Buffer | null, string, string];
      if (all === null) return found;
      const sizes = JSON.parse(lengths) as number[];
      let from = 0;
      for (const [at, key] of (JSON.parse(keys) as number[]).entries()) {
        found[key] = all.subarray(from, from + sizes[at]!);
        from += sizes[at]!;
      }
      return found;
    },

    /** The vectors of rows, in their order; null for a removed row. */
    vectors(rows: readonly number[]): (Float32Array | null)[] {
      const found: (Float32Array | null)[] = rows.map(() => null);
      for (const [key, blob] of vectorsByRow.all(JSON.stringify(rows)) as [number, Buffer][]) {
        const vector = readVector(blob, dimensions);
        if (vector === null) throw damaged(folder, `the vector of row ${rows[key]} differs from what was stored`);
        found[key] = vector;
      }
      return found;
    },
  };
}

export type CellReads = ReturnType<typeof createCellReads>;
