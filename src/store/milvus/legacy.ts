import { z } from "zod";
import { notebookId, UPLOAD } from "../../notebook/extract.js";
import type { Notebook, NotebookFacts } from "../vector-store.js";
import type { Collections } from "./collections.js";
import type { Contents } from "./rewrite.js";
import { CELL_FIELDS, type CellRow, HEAD_INDEX, toStoredCell } from "./rows.js";
import { type Tables, WINDOW } from "./tables.js";

/** The collections of an index as version 0.1 made it: found by an alias, without a journal. */
export interface LegacyIndex {
  readonly alias: string;
  readonly cells: string;
  readonly occurrences: string;
  /** The first ones knew notebooks by their names alone. */
  readonly hasSources: boolean;
}

interface LegacyRow {
  readonly id: string;
  readonly notebook: string;
  readonly source?: string;
  readonly name: string;
  readonly facts?: string;
  readonly version: string;
  readonly cell_index: number;
  readonly cell_id: string;
  readonly skipped: number;
  readonly complete: boolean;
}

const CELLS_AT_ONCE = 256;
const ROWS_AT_ONCE = 4_096;

const description = z.object({ celrec: z.literal(1), occurrences: z.string() });

/** Null where there is none; also where the name belongs to something that celrec did not make. */
export async function findLegacy(collections: Collections, prefix: string): Promise<LegacyIndex | null> {
  const alias = `${prefix}_cells`;
  const found = await collections.find(alias);
  const parsed = description.safeParse(parseJson(found?.schema.description ?? ""));
  if (found === null || !parsed.success) return null;
  const { occurrences } = parsed.data;
  const other = await collections.find(occurrences);
  const hasSources = other?.schema.fields.some(({ name }) => name === "source") ?? false;
  return { alias, cells: found.schema.name, occurrences, hasSources };
}

/** What is in it. A notebook whose last write was not finished is left without a version, so that it is written again. */
export function legacyContents(tables: Tables, { cells, occurrences, hasSources }: LegacyIndex): Contents {
  return {
    async *cells() {
      const selection = { fields: CELL_FIELDS, level: "Strong" as const };
      for await (const rows of tables.pages<CellRow>(cells, "", CELLS_AT_ONCE, selection)) yield rows.map(toStoredCell);
    },
    // The keys begin with the notebook, and its head comes first.
    async *notebooks() {
      let rows: LegacyRow[] = [];
      const fields = ["id", "notebook", "name", "version", "cell_index", "cell_id", "skipped", "complete"] as const;
      const selection = {
        fields: hasSources ? ([...fields, "source", "facts"] as const) : fields,
        level: "Strong" as const,
      };
      for await (const page of tables.pages<LegacyRow>(occurrences, "", Math.min(WINDOW, ROWS_AT_ONCE), selection)) {
        rows.push(...page);
        const last = rows.at(-1)!.notebook;
        yield toNotebooks(rows.filter(({ notebook }) => notebook !== last));
        rows = rows.filter(({ notebook }) => notebook === last);
      }
      yield toNotebooks(rows);
    },
  };
}

function toNotebooks(rows: readonly LegacyRow[]): Notebook[] {
  return rows
    .filter(({ cell_index }) => cell_index === HEAD_INDEX)
    .map((head) => {
      const { name, source = UPLOAD, facts = "{}", version, skipped, complete } = head;
      const own = rows.filter((row) => row.notebook === head.notebook && row.version === version && row !== head);
      const cells = own.map(({ cell_index, cell_id }) => ({ cellIndex: cell_index, id: cell_id }));
      return {
        id: head.source === undefined ? notebookId(name) : head.notebook,
        source,
        name,
        version: complete ? version : "",
        skipped,
        cells: cells.sort((a, b) => a.cellIndex - b.cellIndex),
        facts: JSON.parse(facts) as NotebookFacts,
      };
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
