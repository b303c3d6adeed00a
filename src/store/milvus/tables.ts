import type { Connection } from "./connection.js";
import { both, isIn, quote } from "./expression.js";

/** Bounded reads cost some milliseconds; strong ones wait for the server's clock, 200 to 400 ms. */
export type Level = "Strong" | "Bounded";

interface Selection<Row> {
  readonly fields: readonly (keyof Row & string)[];
  readonly level: Level;
}

interface Keyed {
  readonly id: string;
}

/** Maximum number of rows that one query or search may return. */
export const WINDOW = 16_384;
/** Milvus refuses messages over 64 MB; the client also turns each one into JSON, so smaller ones go through faster. */
const UPSERT_BYTES = 4_000_000;

/** Reads and writes rows. */
export function createTables({ call }: Connection) {
  const query = async <Row>(name: string, filter: string, limit: number, { fields, level }: Selection<Row>) => {
    const { data } = await call("query", (client, timeout) =>
      client.query({
        collection_name: name,
        filter: filter === "" ? ALL : filter,
        limit,
        output_fields: [...fields],
        consistency_level: level as never,
        timeout,
      }),
    );
    return data as unknown as Row[];
  };

  const count = async (name: string, filter: string, level: Level): Promise<number> => {
    const { data } = await call("count", (client, timeout) =>
      client.query({
        collection_name: name,
        filter,
        output_fields: ["count(*)"],
        consistency_level: level as never,
        timeout,
      }),
    );
    return Number((data[0] as { "count(*)": string })["count(*)"]);
  };

  /**
   * Yields all passing rows in pages, by ascending id. Servers usually return limited queries in key order, but do not
   * guarantee it. So a page is accepted only if the server counts no other row before its end; otherwise the range is
   * halved.
   */
  async function* pages<Row extends Keyed>(
    name: string,
    filter: string,
    size: number,
    selection: Selection<Row>,
    range: { readonly from?: string; readonly to?: string } = {},
  ): AsyncGenerator<Row[]> {
    for (let { from = "", to = "" } = range; ; ) {
      const rows = await query<Row>(name, within(filter, from, to), size + 1, selection);
      rows.sort(byId);
      if (rows.length <= size) {
        if (rows.length > 0) yield rows;
        return;
      }
      const last = rows[size]!.id;
      if ((await count(name, within(filter, from, last), selection.level)) === size) {
        yield rows.slice(0, size);
        from = last;
      } else {
        const middle = rows[Math.ceil(size / 2)]!.id;
        // Rows with equal keys cannot be split. They should not exist, but must not cause an endless loop.
        if (middle === from) {
          yield rows;
          return;
        }
        yield* pages(name, filter, size, selection, { from, to: middle });
        from = middle;
      }
    }
  }

  /** All rows whose `field` is one of the values. */
  async function among<Row extends Keyed>(
    name: string,
    field: keyof Row & string,
    values: Iterable<string>,
    selection: Selection<Row>,
    valuesAtOnce = 2_048,
  ): Promise<Row[]> {
    const asked = [...new Set(values)];
    const parts = Array.from({ length: Math.ceil(asked.length / valuesAtOnce) }, async (_, part) => {
      const filter = isIn(field, asked.slice(part * valuesAtOnce, (part + 1) * valuesAtOnce));
      const found: Row[] = [];
      for await (const page of pages<Row>(name, filter, WINDOW - 1, selection)) found.push(...page);
      return found;
    });
    return (await Promise.all(parts)).flat();
  }

  return {
    query,
    count,
    pages,
    among,

    /** Writes rows, which must have different ids: of two rows with one id in a batch, Milvus keeps both. */
    async upsert<Row extends object>(name: string, rows: readonly Row[]): Promise<void> {
      const write = (data: readonly Row[]) =>
        call("write", (client, timeout) => client.upsert({ collection_name: name, data: data as never, timeout }));
      await Promise.all([...batches(rows)].map(write));
    },

    async removeWhere(name: string, filter: string): Promise<void> {
      await call("delete", (client, timeout) => client.delete({ collection_name: name, filter, timeout }));
    },
  };
}

export type Tables = ReturnType<typeof createTables>;

/** Milvus requires a filter, so this one matches everything. */
const ALL = 'id > ""';
const byId = (one: Keyed, other: Keyed) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** The filter for ids from `from` (inclusive) to `to` (exclusive); an empty `to` is unbounded. */
function within(filter: string, from: string, to: string): string {
  const start = from === "" ? "" : `id >= ${quote(from)}`;
  const end = to === "" ? "" : `id < ${quote(to)}`;
  return both(filter, start !== "" && end !== "" ? `${start} and ${end}` : start + end) || ALL;
}

function* batches<Row extends object>(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (bytes + size > UPSERT_BYTES && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Upper bound of the row's size in a message: three bytes per UTF-16 unit, four per number. */
function sizeOf(row: object): number {
  return Object.values(row).reduce<number>((sum, value) => {
    if (typeof value === "string") return sum + 3 * value.length;
    return sum + (Array.isArray(value) ? 8 * value.length : 8);
  }, 64);
}

/** Combines all requests of the same turn of the event loop: `run` gets them together, and answers each by itself. */
export function createBatcher<Request, Answer>(run: (requests: readonly Request[]) => readonly Promise<Answer>[]) {
  let waiting: { readonly requests: Request[]; readonly answers: Promise<readonly Promise<Answer>[]> } | null = null;
  return async (request: Request): Promise<Answer> => {
    if (waiting === null) {
      const requests: Request[] = [];
      const answers = new Promise((resolve) => setImmediate(resolve)).then(() => {
        waiting = null;
        return run(requests);
      });
      waiting = { requests, answers };
    }
    const { requests, answers } = waiting;
    const at = requests.push(request) - 1;
    return (await answers)[at]!;
  };
}
