import { isId } from "../stored-bytes.js";
import type { CellPosition, Notebook, NotebookFacts, NotebookSummary, SourceSummary } from "../vector-store.js";
import type { Database } from "./database.js";
import { damaged, readJson } from "./disk-errors.js";

type NotebookFields = [
  row: number,
  source: Buffer,
  name: Buffer,
  version: Buffer,
  skipped: number,
  cells: number,
  facts: Buffer,
];

/** Bytes of the id of a cell. */
const ID = 32;

/** Reads of notebooks. */
export function createNotebookReads(database: Database, folder: string) {
  const prepare = <T extends unknown[]>(sql: string) => database.prepare<T>(sql).raw();
  const byId = prepare<[string]>(
    `select row, cast(source as blob), cast(name as blob), cast(version as blob), cast(skipped as integer), cast(cells as integer),
      cast(facts as blob) from notebooks where id = unhex(?)`,
  );
  const versions = prepare<[string]>(
    "select j.key, cast(n.version as blob) from json_each(?) j cross join notebooks n on n.id = unhex(j.value)",
  );
  // All cells in one row: passing a hundred rows to JavaScript is slower than reading them.
  const cellsOf = prepare<[number]>(
    `select json_group_array(p.cell_index), cast(group_concat(cast(c.id as text), '') as blob)
      from positions p join cells c on c.row = p.cell where p.notebook = ?`,
  );
  const page = prepare<[Buffer, number]>(
    `select cast(id as blob), cast(source as blob), cast(name as blob), cast(skipped as integer), cast(cells as integer)
      from notebooks where id > ? order by id limit ?`,
  );
  const bySource = prepare<[]>(
    `select cast(source as blob), count(*), sum(cast(cells as integer)), sum(cast(skipped as integer))
      from notebooks group by source order by source`,
  );
  // Passed as text, because the driver treats bytes as an object of named parameters.
  const idsOf = prepare<[string]>("select cast(id as blob) from notebooks where source = cast(? as blob)");

  return {
    sources: (): SourceSummary[] =>
      (bySource.all() as [Buffer, number, number, number][]).map(([source, notebooks, cells, skipped]) => ({
        source: source.toString(),
        notebooks,
        cells,
        skipped,
      })),

    idsOf: (source: string): string[] =>
      (idsOf.all(source.toWellFormed()) as [Buffer][]).map(([id]) => id.toString("hex")),

    versions: (ids: readonly string[]): Map<string, string> =>
      new Map(
        (versions.all(JSON.stringify(ids)) as [number, Buffer][]).map(([key, version]) => [
          ids[key]!,
          version.toString(),
        ]),
      ),

    notebook(id: string): Notebook | null {
      const found = isId(id) ? (byId.get(id) as NotebookFields | undefined) : undefined;
      if (found === undefined) return null;
      const [row, source, name, version, skipped, count, facts] = found;
      const [indices, ids] = cellsOf.get(row) as [string, Buffer | null];
      const cells = (JSON.parse(indices) as number[])
        .map((cellIndex, at): CellPosition => ({ cellIndex, id: ids!.toString("hex", at * ID, (at + 1) * ID) }))
        .sort((one, other) => one.cellIndex - other.cellIndex);
      if (cells.length !== count)
        throw damaged(folder, `the notebook ${id} has ${cells.length} cells instead of ${count}`);
      return {
        id,
        source: source.toString(),
        name: name.toString(),
        version: version.toString(),
        skipped,
        cells,
        facts: readFacts(folder, facts),
      };
    },

    notebooks: ({ after = "", limit }: { after?: string; limit: number }): NotebookSummary[] =>
      (page.all(boundary(after), limit) as [Buffer, Buffer, Buffer, number, number][]).map(
        ([id, source, name, skipped, cells]) => ({
          id: id.toString("hex"),
          source: source.toString(),
          name: name.toString(),
          cells,
          skipped,
        }),
      ),
  };
}

export function readFacts(folder: string, facts: Buffer): NotebookFacts {
  return readJson(folder, facts, "the facts of a notebook");
}

const DIGITS = [..."0123456789abcdef"];

/** The lower bound, as bytes, of the ids that sort after the text. */
function boundary(after: string): Buffer {
  const start = /^[0-9a-f]{0,64}/.exec(after)![0];
  if (start.length === 64) return Buffer.from(start, "hex");
  const next = DIGITS.find((digit) => digit > (after[start.length] ?? ""));
  return Buffer.from(next === undefined ? start.padEnd(64, "f") : lastBefore(start + next), "hex");
}

/** The largest id before all ids with this prefix; empty if there is none. */
function lastBefore(start: string): string {
  const first = BigInt(`0x${start.padEnd(64, "0")}`);
  return first === 0n ? "" : (first - 1n).toString(16).padStart(64, "0");
}
