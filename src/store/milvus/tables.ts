import type { CallOptions, Connection } from "./connection.js";
import { isIn, quote } from "./expression.js";

/** Bounded reads cost some milliseconds; strong ones wait for the server's clock, 200 to 400 ms. */
export type Level = "Strong" | "Bounded";

export interface Selection<Row> {
  readonly fields: readonly (keyof Row & string)[];
  readonly level: Level;
}

/** Most rows that one query or search may return. */
export const WINDOW = 16_384;
/** Milvus refuses messages over 64 MB; the client also turns each one into JSON, so smaller ones go through faster. */
const UPSERT_BYTES = 4_000_000;
const DELETE_ROWS = 4_096;
/** 256 cells of the largest size are 30 MB. */
const IDS_AT_ONCE = 256;

/**
 * Reads and writes rows by their `id`. Relies on Milvus giving limited queries in the order of the primary key, as the
 * iterators of its clients do.
 */
export function createTables({ call }: Connection) {
  const query = async <Row>(name: string, filter: string, limit: number, { fields, level }: Selection<Row>) => {
    const { data } = await call("query", (client, timeout) =>
      client.query({
        collection_name: name,
        filter,
        limit,
        output_fields: [...fields],
        consistency_level: level as never,
        timeout,
      }),
    );
    return data as unknown as Row[];
  };

  /** All rows that pass, page by page, by id. */
  async function* pages<Row extends { readonly id: string }>(
    name: string,
    filter: string,
    size: number,
    selection: Selection<Row>,
  ): AsyncGenerator<Row[]> {
    for (let after = ""; ; ) {
      const where = whereAfter(filter, after);
      const rows = await query<Row>(name, where, size, selection);
      if (rows.length > 0) yield rows;
      if (rows.length < size) return;
      after = rows.at(-1)!.id;
    }
  }

  /** All rows whose `field` is one of the values. */
  async function among<Row extends { readonly id: string }>(
    name: string,
    field: keyof Row & string,
    values: Iterable<string>,
    size: number,
    selection: Selection<Row>,
  ): Promise<Row[]> {
    const asked = [...new Set(values)];
    const found: Row[] = [];
    for (let from = 0; from < asked.length; from += size) {
      const filter = isIn(field, asked.slice(from, from + size));
      for await (const page of pages<Row>(name, filter, WINDOW, selection)) found.push(...page);
    }
    return found;
  }

  return {
    query,
    pages,
    among,

    /**
     * Rows by id, in any order. What an id stands for never changes, so bounded reads do; only an id they do not know
     * may have been written a moment ago and is asked for again.
     */
    async byId<Row extends { readonly id: string }>(
      name: string,
      ids: readonly string[],
      fields: Selection<Row>["fields"],
    ): Promise<Row[]> {
      const found = await among<Row>(name, "id", ids, IDS_AT_ONCE, { fields, level: "Bounded" });
      const known = new Set(found.map(({ id }) => id));
      const unknown = ids.filter((id) => !known.has(id));
      const late = await among<Row>(name, "id", unknown, IDS_AT_ONCE, { fields, level: "Strong" });
      return [...found, ...late];
    },

    async count(name: string, filter: string, level: Level): Promise<number> {
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
    },

    /** For ids that nobody else can have, which saves Milvus the look for older rows. Not repeated: a row would be there twice. */
    async insert<Row extends object>(name: string, rows: readonly Row[]): Promise<void> {
      for (const batch of batches(rows)) {
        await call(
          "write",
          (client, timeout) => client.insert({ collection_name: name, data: batch as never, timeout }),
          { repeatable: false },
        );
      }
    },

    /** The rows must have different ids: Milvus keeps both of two equal ones in a batch. */
    async upsert<Row extends object>(name: string, rows: readonly Row[], options?: CallOptions): Promise<void> {
      for (const batch of batches(rows)) {
        await call(
          "write",
          (client, timeout) => client.upsert({ collection_name: name, data: batch as never, timeout }),
          options,
        );
      }
    },

    async remove(name: string, ids: readonly string[], options?: CallOptions): Promise<void> {
      for (let from = 0; from < ids.length; from += DELETE_ROWS) {
        const filter = isIn("id", ids.slice(from, from + DELETE_ROWS));
        await call("delete", (client, timeout) => client.delete({ collection_name: name, filter, timeout }), options);
      }
    },
  };
}

export type Tables = ReturnType<typeof createTables>;

/** Comparing every key with the empty one would cost time; without any filter Milvus wants one all the same. */
function whereAfter(filter: string, after: string): string {
  if (filter === "") return `id > ${quote(after)}`;
  return after === "" ? filter : `(${filter}) and id > ${quote(after)}`;
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

/** At least what the row takes on the wire: up to three bytes for a UTF-16 unit, four for a number. */
function sizeOf(row: object): number {
  return Object.values(row).reduce<number>((sum, value) => {
    if (typeof value === "string") return sum + 3 * value.length;
    return sum + (Array.isArray(value) ? 8 * value.length : 8);
  }, 64);
}
