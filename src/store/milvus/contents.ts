import { both, isIn } from "./expression.js";
import type { Generation } from "./journal.js";
import type { CellRow } from "./rows.js";
import type { Selection, Tables } from "./tables.js";

type Wanted = Pick<CellRow, "id" | "content">;

/** 256 cells of the largest size are 30 MB. */
const CONTENTS_AT_ONCE = 256;
const COPIES_AT_ONCE = 512;

/** One row of each content, of which there may be thousands: most have a row that says that it is the first copy. */
export function createContents(tables: Tables) {
  /** Missing if the notebook that held the first copy is gone. */
  const firstCopies = async <Row extends Wanted>(
    { cells }: Generation,
    ids: readonly string[],
    selection: Selection<Row>,
    and = "",
  ): Promise<Map<string, Row>> => {
    const parts = Array.from({ length: Math.ceil(ids.length / CONTENTS_AT_ONCE) }, (_, part) => {
      const some = ids.slice(part * CONTENTS_AT_ONCE, (part + 1) * CONTENTS_AT_ONCE);
      const filter = both(`${isIn("content", some)} and copy == 0`, and);
      // Writers that came at the same time may both have taken theirs for the first.
      return tables.query<Row>(cells, filter, 4 * CONTENTS_AT_ONCE, selection);
    });
    return new Map((await Promise.all(parts)).flat().map((row) => [row.content, row]));
  };

  /** Looks at all copies, some at a time, until each content was seen or the server has no more rows. */
  const anyCopies = async <Row extends Wanted>(
    { cells }: Generation,
    ids: readonly string[],
    selection: Selection<Row>,
  ): Promise<Map<string, Row>> => {
    const found = new Map<string, Row>();
    for (let open = [...ids]; open.length > 0; ) {
      const some = open.slice(0, CONTENTS_AT_ONCE);
      const rows = await tables.query<Row>(cells, isIn("content", some), COPIES_AT_ONCE, selection);
      for (const row of rows) found.set(row.content, row);
      const isAll = rows.length < COPIES_AT_ONCE;
      open = open.filter((id) => !found.has(id) && !(isAll && some.includes(id)));
    }
    return found;
  };

  return {
    firstCopies,
    anyCopies,

    /** One row of each content that is stored. */
    async find<Row extends Wanted>(
      generation: Generation,
      ids: readonly string[],
      selection: Selection<Row>,
    ): Promise<Map<string, Row>> {
      const asked = [...new Set(ids)];
      const found = await firstCopies(generation, asked, selection);
      const rest = asked.filter((id) => !found.has(id));
      for (const [id, row] of await anyCopies(generation, rest, selection)) found.set(id, row);
      return found;
    },
  };
}
