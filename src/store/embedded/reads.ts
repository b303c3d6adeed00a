import {
  type Counts,
  type Exclusion,
  type Follower,
  type IndexIdentity,
  MOST_FOLLOWED,
  type Notebook,
  type NotebookCell,
  type NotebookSummary,
  type Occurrence,
  type Provenance,
  type StoredCell,
} from "../vector-store.js";
import type { Database } from "./database.js";
import type { LabelCodec } from "./label-bits.js";

/** The questions that the database answers by itself. */
export function createReads(database: Database, codec: LabelCodec, identity: IndexIdentity) {
  const prepare = <T extends unknown[]>(sql: string) => database.prepare<T>(sql).raw();
  const cellRow = prepare<[string]>("select row from cells where id = ?");
  // One statement for many cells: a call into the driver costs more than a row.
  const cellsById = prepare<[string]>(
    "select id, code, clean, labels, primary_label from cells where id in (select value from json_each(?))",
  );
  const countOf = prepare<[number]>("select count(*) from occurrences where cell = ?");
  const places = "from occurrences o join notebooks n on n.row = o.notebook where o.cell = ?";
  const byName = "order by n.name, o.cell_index";
  const allOf = prepare<[number]>(`select n.id, n.name, o.cell_index ${places} ${byName}`);
  const firstOf = prepare<[number]>(`select n.id, n.name, o.cell_index ${places} ${byName} limit 1`);
  const allowed = `${places} and n.id not in (select value from json_each(?)) and not (n.id = ? and o.cell_index = ?)`;
  const countAllowed = prepare<[number, string, string, number]>(`select count(*) ${allowed}`);
  const firstAllowed = prepare<[number, string, string, number]>(
    `select n.id, n.name, o.cell_index ${allowed} ${byName} limit 1`,
  );
  const behind =
    "select min(q.cell_index) from occurrences q where q.notebook = o.notebook and q.cell_index > o.cell_index";
  const followersOf = prepare<[number, string, string, number]>(
    `select distinct c.id from
      (select o.notebook, o.cell_index, n.id from occurrences o join notebooks n on n.row = o.notebook
        where o.cell = ? and n.id not in (select value from json_each(?)) limit ${MOST_FOLLOWED}) o
      join occurrences p on p.notebook = o.notebook and p.cell_index = (${behind})
      join cells c on c.row = p.cell
      where not (o.id = ? and p.cell_index = ?)`,
  );
  const notebookById = prepare<[string]>("select row, name, version, skipped from notebooks where id = ?");
  const cellsOf = prepare<[number]>(
    "select o.cell_index, c.id from occurrences o join cells c on c.row = o.cell where o.notebook = ? order by o.cell_index",
  );
  const page = prepare<[string, number]>(
    `select n.id, n.name, n.skipped, (select count(*) from occurrences o where o.notebook = n.row)
      from notebooks n where n.id > ? order by n.id limit ?`,
  );
  const totals = prepare<[]>(
    "select (select count(*) from cells), (select count(*) from notebooks), (select count(*) from occurrences)",
  );
  const byLabels = prepare<[]>("select labels, count(*) from cells group by labels");

  const rowOf = (id: string) => (cellRow.get(id) as [number] | undefined)?.[0];

  return {
    missing: (ids: readonly string[]): Set<string> => new Set(ids.filter((id) => rowOf(id) === undefined)),

    cells(ids: readonly string[]): StoredCell[] {
      const rows = cellsById.all(JSON.stringify(ids)) as [string, Buffer, Buffer, number, number][];
      const found = new Map(rows.map((row) => [row[0], row]));
      return ids.flatMap((id) => {
        const row = found.get(id);
        if (row === undefined) return [];
        const [, code, clean, bits, primary] = row;
        return [{ id, code: code.toString(), clean: clean.toString(), ...codec.decode({ bits, primary }) }];
      });
    },

    provenance(ids: readonly string[], exclude?: Exclusion): Map<string, Provenance> {
      const except = exclusion(exclude);
      return new Map(
        ids.flatMap((id) => {
          const row = rowOf(id);
          if (row === undefined) return [];
          const [count] = (exclude ? countAllowed.get(row, ...except) : countOf.get(row)) as [number];
          const first = (exclude ? firstAllowed.get(row, ...except) : firstOf.get(row)) as OccurrenceRow | undefined;
          return [[id, { count, first: first === undefined ? null : toOccurrence(first) }] as const];
        }),
      );
    },

    occurrences(id: string): Occurrence[] {
      const row = rowOf(id);
      return row === undefined ? [] : (allOf.all(row) as OccurrenceRow[]).map(toOccurrence);
    },

    followers: (ids: readonly string[], exclude?: Exclusion): Follower[] =>
      ids.flatMap((before) => {
        const row = rowOf(before);
        const found = row === undefined ? [] : (followersOf.all(row, ...exclusion(exclude)) as [string][]);
        return found.map(([id]) => ({ before, id }));
      }),

    notebook(id: string): Notebook | null {
      const found = notebookById.get(id) as [number, Buffer, string, number] | undefined;
      if (found === undefined) return null;
      const [row, name, version, skipped] = found;
      const cells = (cellsOf.all(row) as [number, string][]).map(
        ([cellIndex, cell]): NotebookCell => ({ cellIndex, id: cell }),
      );
      return { id, name: name.toString(), version, skipped, cells };
    },

    notebooks: ({ after = "", limit }: { after?: string; limit: number }): NotebookSummary[] =>
      (page.all(after, limit) as [string, Buffer, number, number][]).map(([id, name, skipped, cells]) => ({
        id,
        name: name.toString(),
        cells,
        skipped,
      })),

    counts(): Counts {
      const [cells, notebooks, occurrences] = totals.get() as [number, number, number];
      const groups = byLabels.all() as [number, number][];
      const labels = identity.labels.map((label, place) => {
        const holding = groups.filter(([bits]) => bits & (1 << place));
        return [label, holding.reduce((sum, [, count]) => sum + count, 0)] as const;
      });
      return { cells, notebooks, occurrences, labels: Object.fromEntries(labels) };
    },
  };
}

/** What the statements take for it; empty values leave nothing out. */
function exclusion({ notebooks = [], occurrence }: Exclusion = {}): [string, string, number] {
  return [JSON.stringify(notebooks), occurrence?.notebook ?? "", occurrence?.cellIndex ?? -1];
}

type OccurrenceRow = [string, Buffer, number];

function toOccurrence([notebook, name, cellIndex]: OccurrenceRow): Occurrence {
  return { notebook, name: name.toString(), cellIndex };
}
