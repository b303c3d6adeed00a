import { isId, toBytes } from "../stored-bytes.js";
import { type Exclusion, MAX_NEXT_CELLS, type NextCell, type Occurrence, type Provenance } from "../vector-store.js";
import type { CellReads } from "./cell-reads.js";
import type { Database } from "./database.js";
import { readFacts } from "./notebook-reads.js";
import { type FilterParameters, filterParameters, PASSES } from "./passing-rows.js";

type OccurrenceFields = [notebook: Buffer, source: Buffer, name: Buffer, cellIndex: number, facts: Buffer];

/**
 * Reads the occurrences of cells. The table `occurrences` is stored in the order of the answers, so nothing is sorted.
 */
export function createOccurrenceReads(database: Database, folder: string, { rowOf }: CellReads) {
  const prepare = <T extends unknown[]>(sql: string) => database.prepare<T>(sql).raw();
  const from = "from occurrences o cross join notebooks n on n.row = o.notebook where o.cell = ?";
  const fields =
    "cast(n.id as blob), cast(n.source as blob), cast(n.name as blob), o.cell_index, cast(n.facts as blob)";
  const inOrder = "order by o.source, o.name, o.cell_index, o.notebook";
  const page = prepare<[number, number, number]>(`select ${fields} ${from} ${inOrder} limit ? offset ?`);
  /** The most common query: no exclusion. */
  const firstOfAll = prepare<[string]>(
    `select cast(h.occurrences as integer), ${fields}
      from cells c cross join held h on h.cell = c.row cross join occurrences o on o.cell = c.row
      cross join notebooks n on n.row = o.notebook where c.id = unhex(?) ${inOrder} limit 1`,
  );
  const countOf = prepare<[number]>("select cast(occurrences as integer) from held where cell = ?");
  // Reads the cells of the few excluded notebooks, not the many occurrences of the cell.
  const countExcluded = prepare<[string, number]>(
    `select count(*) from json_each(?) j cross join notebooks n on n.id = unhex(j.value)
      cross join positions p on p.notebook = n.row where p.cell = ?`,
  );
  const isAt = prepare<[Buffer, number, number]>(
    "select 1 from notebooks n cross join positions p on p.notebook = n.row where n.id = ? and p.cell_index = ? and p.cell = ?",
  );
  const inAllowed = `and n.id not in (select unhex(value) from json_each(?)) and ${PASSES}`;
  const allowed = `${inAllowed} and not (n.id = ? and o.cell_index = ?)`;
  const firstAllowed = prepare<[number, ...Parameters]>(`select ${fields} ${from} ${allowed} ${inOrder} limit 1`);
  const countAllowed = prepare<[number, ...Parameters]>(`select count(*) ${from} ${allowed}`);
  const nextCellsOf = prepare<[number, ...Parameters]>(
    `select distinct cast(c.id as blob) from
      (select o.notebook, o.cell_index, n.id ${from} ${inAllowed}
        ${inOrder} limit ${MAX_NEXT_CELLS}) o
      cross join positions p on p.notebook = o.notebook and p.cell_index =
        (select min(q.cell_index) from positions q where q.notebook = o.notebook and q.cell_index > o.cell_index)
      cross join cells c on c.row = p.cell
      where not (o.id = ? and p.cell_index = ?)`,
  );

  const toOccurrence = ([notebook, source, name, cellIndex, facts]: OccurrenceFields): Occurrence => ({
    notebook: notebook.toString("hex"),
    source: source.toString(),
    name: name.toString(),
    cellIndex,
    facts: readFacts(folder, facts),
  });
  const count = (row: number, excluded: Excluded): number => {
    if (excluded.isFiltered) return (countAllowed.get(row, ...parameters(excluded)) as [number])[0];
    const { notebooks, own } = excluded;
    const [all] = (countOf.get(row) as [number] | undefined) ?? [0];
    const [left] = notebooks === "[]" ? [0] : (countExcluded.get(notebooks, row) as [number]);
    return all - left - (own !== null && isAt.get(own.notebook, own.cellIndex, row) !== undefined ? 1 : 0);
  };

  /** Undefined for an unknown cell, or for a cell without an occurrence. */
  const readWhole = (id: string): Provenance | undefined => {
    const found = isId(id) ? (firstOfAll.get(id) as [number, ...OccurrenceFields] | undefined) : undefined;
    if (found === undefined) return undefined;
    const [all, ...first] = found;
    return { count: all, first: toOccurrence(first) };
  };

  return {
    provenance(ids: readonly string[], exclude?: Exclusion): Map<string, Provenance> {
      const excluded = toExcluded(exclude);
      return new Map(
        ids.flatMap((id) => {
          const whole = excluded.isNothing ? readWhole(id) : undefined;
          if (whole !== undefined) return [[id, whole] as const];
          const row = rowOf(id);
          if (row === undefined) return [];
          const first = firstAllowed.get(row, ...parameters(excluded)) as OccurrenceFields | undefined;
          return [
            [id, { count: count(row, excluded), first: first === undefined ? null : toOccurrence(first) }] as const,
          ];
        }),
      );
    },

    occurrences(id: string, { offset = 0, limit }: { offset?: number; limit: number }): Occurrence[] {
      const row = rowOf(id);
      return row === undefined ? [] : (page.all(row, limit, offset) as OccurrenceFields[]).map(toOccurrence);
    },

    nextCells(ids: readonly string[], exclude?: Exclusion): NextCell[] {
      const excluded = parameters(toExcluded(exclude));
      return ids.flatMap((before) => {
        const row = rowOf(before);
        const found = row === undefined ? [] : (nextCellsOf.all(row, ...excluded) as [Buffer][]);
        return found.map(([id]) => ({ before, id: id.toString("hex") }));
      });
    },
  };
}

/**
 * The exclusion as parameters of the statements. An excluded occurrence in an excluded notebook is counted only once.
 */
interface Excluded {
  readonly notebooks: string;
  readonly filter: FilterParameters;
  readonly isFiltered: boolean;
  readonly isNothing: boolean;
  readonly own: { readonly notebook: Buffer; readonly cellIndex: number } | null;
}

function toExcluded({ notebooks = [], outside, occurrence }: Exclusion = {}): Excluded {
  const known = [...new Set(notebooks)].filter((id) => toBytes(id) !== null);
  const own = occurrence === undefined || known.includes(occurrence.notebook) ? null : toBytes(occurrence.notebook);
  return {
    notebooks: JSON.stringify(known),
    filter: filterParameters(outside),
    isFiltered: outside !== undefined,
    isNothing: known.length === 0 && outside === undefined && own === null,
    own: own && { notebook: own, cellIndex: occurrence!.cellIndex },
  };
}

type Parameters = [string, ...FilterParameters, Buffer, number];

/** An empty notebook id and the index -1 match no occurrence. */
function parameters({ notebooks, filter, own }: Excluded): Parameters {
  return [notebooks, ...filter, own?.notebook ?? Buffer.alloc(0), own?.cellIndex ?? -1];
}
