import {
  type CellPosition,
  type Counts,
  type Exclusion,
  type Follower,
  type IndexIdentity,
  MOST_FOLLOWED,
  type Notebook,
  type NotebookFacts,
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
  const byName = "order by n.source, n.name, o.cell_index";
  const fields = "n.id, n.source, n.name, o.cell_index, n.facts";
  const pageOf = prepare<[number, number, number]>(`select ${fields} ${places} ${byName} limit ? offset ?`);
  const firstOf = prepare<[number]>(`select ${fields} ${places} ${byName} limit 1`);
  const allowed = `${places} and n.id not in (select value from json_each(?)) and not (n.id = ? and o.cell_index = ?)`;
  const countAllowed = prepare<[number, string, string, number]>(`select count(*) ${allowed}`);
  const firstAllowed = prepare<[number, string, string, number]>(`select ${fields} ${allowed} ${byName} limit 1`);
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
  const notebookById = prepare<[string]>(
    "select row, source, name, version, skipped, facts from notebooks where id = ?",
  );
  const cellsOf = prepare<[number]>(
    "select o.cell_index, c.id from occurrences o join cells c on c.row = o.cell where o.notebook = ? order by o.cell_index",
  );
  const page = prepare<[string, number]>(
    `select n.id, n.source, n.name, n.skipped, (select count(*) from occurrences o where o.notebook = n.row)
      from notebooks n where n.id > ? order by n.id limit ?`,
  );
  const totals = prepare<[]>(
    "select (select count(*) from cells), (select count(*) from notebooks), (select count(*) from occurrences)",
  );
  const byLabels = prepare<[]>("select labels, count(*) from cells group by labels");

  const rowOf = (id: string) => (cellRow.get(id) as [number] | undefined)?.[0];

  return {
    missing: (ids: readonly string[]): Set<string> => new Set(ids.filter((id) => rowOf(id) === undefined)),

    versions: (ids: readonly string[]): Map<string, string> =>
      new Map(
        ids.flatMap((id) => {
          const found = notebookById.get(id) as [number, Buffer, Buffer, string, number, Buffer] | undefined;
          return found === undefined ? [] : [[id, found[3]] as const];
        }),
      ),

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

    occurrences(id: string, { offset = 0, limit }: { offset?: number; limit: number }): Occurrence[] {
      const row = rowOf(id);
      return row === undefined ? [] : (pageOf.all(row, limit, offset) as OccurrenceRow[]).map(toOccurrence);
    },

    followers: (ids: readonly string[], exclude?: Exclusion): Follower[] =>
      ids.flatMap((before) => {
        const row = rowOf(before);
        const found = row === undefined ? [] : (followersOf.all(row, ...exclusion(exclude)) as [string][]);
        return found.map(([id]) => ({ before, id }));
      }),

    notebook(id: string): Notebook | null {
      const found = notebookById.get(id) as [number, Buffer, Buffer, string, number, Buffer] | undefined;
      if (found === undefined) return null;
      const [row, source, name, version, skipped, facts] = found;
      const cells = (cellsOf.all(row) as [number, string][]).map(
        ([cellIndex, cell]): CellPosition => ({ cellIndex, id: cell }),
      );
      return { id, source: source.toString(), name: name.toString(), version, skipped, cells, facts: readFacts(facts) };
    },

    notebooks: ({ after = "", limit }: { after?: string; limit: number }): NotebookSummary[] =>
      (page.all(after, limit) as [string, Buffer, Buffer, number, number][]).map(
        ([id, source, name, skipped, cells]) => ({
          id,
          source: source.toString(),
          name: name.toString(),
          cells,
          skipped,
        }),
      ),

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

type OccurrenceRow = [string, Buffer, Buffer, number, Buffer];

function toOccurrence([notebook, source, name, cellIndex, facts]: OccurrenceRow): Occurrence {
  return { notebook, source: source.toString(), name: name.toString(), cellIndex, facts: readFacts(facts) };
}

function readFacts(facts: Buffer): NotebookFacts {
  return JSON.parse(facts.toString()) as NotebookFacts;
}
