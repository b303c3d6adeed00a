import { describe, expect, it } from "vitest";
import type { Connection } from "../../../src/store/milvus/connection.js";
import { createTables } from "../../../src/store/milvus/tables.js";
import { createRandom } from "../contract/fixtures.js";

const ALL = Array.from({ length: 1_000 }, (_, at) => `${(at * 7919) % 1_000}`.padStart(4, "0")).sort();

/** Simulates a server that returns limited queries in arbitrary order. */
function createServer(order: (ids: string[]) => string[]) {
  let queries = 0;
  const client = {
    async query({ filter, limit, output_fields }: { filter: string; limit?: number; output_fields: string[] }) {
      queries += 1;
      const [, from = ""] = /id >= "(\d+)"/.exec(filter) ?? [];
      const [, to = "9999"] = /id < "(\d+)"/.exec(filter) ?? [];
      const passing = ALL.filter((id) => id >= from && id < to);
      if (output_fields.includes("count(*)")) return { data: [{ "count(*)": `${passing.length}` }] };
      return {
        data: order(passing)
          .map((id) => ({ id }))
          .slice(0, limit),
      };
    },
  };
  const connection = { call: (_: string, run: (client: unknown, ms: number) => unknown) => run(client, 0) };
  return { tables: createTables(connection as unknown as Connection), queries: () => queries };
}

async function readAll(tables: ReturnType<typeof createServer>["tables"], size: number): Promise<string[]> {
  const ids: string[] = [];
  const selection = { fields: ["id"] as const, level: "Bounded" as const };
  for await (const page of tables.pages<{ id: string }>("any", "", size, selection))
    ids.push(...page.map(({ id }) => id));
  return ids;
}

describe("pages", () => {
  const random = createRandom(3);
  it.each([
    ["by key", (ids: string[]) => ids],
    ["backwards", (ids: string[]) => [...ids].reverse()],
    [
      "shuffled",
      (ids: string[]) =>
        ids
          .map((id) => [random(), id] as const)
          .sort()
          .map(([, id]) => id),
    ],
    ["in segments", (ids: string[]) => [...ids.filter((_, at) => at % 3 > 0), ...ids.filter((_, at) => at % 3 === 0)]],
  ])("hold every row once, by key, on a server that returns rows %s", async (_, order) => {
    const { tables } = createServer(order);
    expect(await readAll(tables, 64)).toEqual(ALL);
    expect(await readAll(tables, 1_000)).toEqual(ALL);
    expect(await readAll(tables, 999)).toEqual(ALL);
  });

  it("take two calls each if the server returns rows in key order", async () => {
    const { tables, queries } = createServer((ids) => ids);
    await readAll(tables, 100);
    expect(queries()).toBe(19);
  });
});
