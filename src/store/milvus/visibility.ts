import { isIn, quote } from "./expression.js";
import type { Generation } from "./generations.js";
import type { UnderWay } from "./journal.js";
import { type HeadRow, headId, type OccurrenceRow } from "./rows.js";
import type { Level, Tables } from "./tables.js";

/** Whether a cell has an occurrence: one that counts, one of a write that is not over, or none. */
export type Holding = "visible" | "held" | "free";

type Slim = Pick<OccurrenceRow, "id" | "notebook" | "write" | "cell_id">;

const SLIM = ["id", "notebook", "write", "cell_id"] as const;
const IDS_AT_ONCE = 1_024;
/** Occurrences that are looked at before more are read: mostly the first one of a cell counts. */
const LOOK_AT = 1_024;

export type Visibility = ReturnType<typeof createVisibility>;

/** An occurrence counts while the head of its notebook names the write that made it; a cell, while it has one that counts. */
export function createVisibility(tables: Tables) {
  const writesOf = async ({ occurrences }: Generation, notebooks: Iterable<string>, level: Level) => {
    const selection = { fields: ["id", "notebook", "write"] as const, level };
    const ids = [...notebooks].map(headId);
    const heads = await tables.among<Pick<HeadRow, "id" | "notebook" | "write">>(
      occurrences,
      "id",
      ids,
      IDS_AT_ONCE,
      selection,
    );
    return new Map(heads.map(({ notebook, write }) => [notebook, write]));
  };

  const look = async (
    generation: Generation,
    cells: string[],
    holdings: Map<string, Holding>,
    level: Level,
    and: string,
  ) => {
    for (let open = cells, after = ""; open.length > 0; ) {
      const filter = `${isIn("cell_id", open)}${after === "" ? "" : ` and id > ${quote(after)}`}${and}`;
      const rows = await tables.query<Slim>(generation.occurrences, filter, LOOK_AT, { fields: SLIM, level });
      const writes = await writesOf(generation, new Set(rows.map(({ notebook }) => notebook)), level);
      for (const { cell_id, notebook, write } of rows) {
        if (writes.get(notebook) === write) holdings.set(cell_id, "visible");
        else if (holdings.get(cell_id) === "free") holdings.set(cell_id, "held");
      }
      if (rows.length < LOOK_AT) return;
      // The rows come by cell, so that only the last one may have more.
      const { id, cell_id: last } = rows.at(-1)!;
      after = id;
      open = open.filter((cell) => cell >= last && holdings.get(cell) !== "visible");
    }
  };

  return {
    /** The write that counts for each of these notebooks. */
    writesOf,

    /** Those rows that count. Only notebooks with a write under way can have others. */
    async visible<Row extends Pick<OccurrenceRow, "notebook" | "write">>(
      generation: Generation,
      rows: readonly Row[],
      { notebooks }: Pick<UnderWay, "notebooks">,
      level: Level,
    ): Promise<Row[]> {
      const doubtful = new Set(rows.map(({ notebook }) => notebook).filter((notebook) => notebooks.has(notebook)));
      if (doubtful.size === 0) return [...rows];
      const writes = await writesOf(generation, doubtful, level);
      return rows.filter(({ notebook, write }) => !doubtful.has(notebook) || writes.get(notebook) === write);
    },

    /** How each of these cells is held; by occurrences that pass ` and ...` alone, where that is given. */
    async holdings(
      generation: Generation,
      cells: Iterable<string>,
      level: Level,
      and = "",
    ): Promise<Map<string, Holding>> {
      const holdings = new Map<string, Holding>([...cells].map((cell) => [cell, "free"]));
      const asked = [...holdings.keys()];
      for (let from = 0; from < asked.length; from += IDS_AT_ONCE) {
        await look(generation, asked.slice(from, from + IDS_AT_ONCE), holdings, level, and);
      }
      return holdings;
    },
  };
}
