import { afterAll, describe, expect, it } from "vitest";
import { createAmongNotebooks } from "../../../src/store/milvus/among-notebooks.js";
import { createConnection } from "../../../src/store/milvus/connection.js";
import { createJournal } from "../../../src/store/milvus/journal.js";
import { createTables } from "../../../src/store/milvus/tables.js";
import { createVisibility } from "../../../src/store/milvus/visibility.js";
import { cell, expectedHits, IDENTITY, notebook, put } from "../contract/fixtures.js";
import { partsThatBreak } from "./parts.js";
import { hasMilvus, newPlace } from "./server.js";

const X = Float32Array.of(1, 0, 0, 0);

describe.runIf(await hasMilvus())("the cells of some notebooks in Milvus", () => {
  const place = newPlace();
  const store = place.open(IDENTITY);
  const connection = createConnection({ address: place.address, timeoutMs: 10_000 });
  const parts = partsThatBreak(place, 0);
  afterAll(async () => {
    await Promise.all([store.close(), connection.close(), parts.connection.close()]);
    await place.drop();
  });

  it("are found, few or many, near or far", { timeout: 60_000 }, async () => {
    const near = Array.from({ length: 40 }, (_, at) => cell(`near ${at}`, [1, at / 1_000, 0, 0]));
    const far = Array.from({ length: 20 }, (_, at) => cell(`far ${at}`, [-1, at / 1_000, 0, 0]));
    const inSource = (source: string, cells: typeof near) => {
      const write = notebook(source, cells);
      return { ...write, notebook: { ...write.notebook, source } };
    };
    await put(store, [inSource("near", near), inSource("far", far)]);
    const generation = (await parts.generations.find())!;
    const tables = createTables(connection);
    const deps = {
      tables,
      journal: createJournal(tables, `${place.prefix}_journal`),
      visibility: createVisibility(tables),
    };
    const all = expectedHits([...near, ...far], X, 100);
    const asked: number[] = [];
    const find = async (k: number, among?: string) => {
      asked.push(k);
      return all.filter(({ id }) => among === undefined || among.includes(id)).slice(0, k);
    };
    const search = async (source: string, k: number, limits: { named: number; candidates: number }) => {
      asked.length = 0;
      const query = { k, notebooks: { sources: [source] }, level: "Strong" as const };
      return createAmongNotebooks({ ...deps, limits })(generation, query, find);
    };
    const farHits = expectedHits(far, X, 3);
    // Named one by one.
    expect(await search("far", 3, { named: 100, candidates: 100 })).toEqual(farHits);
    expect(asked).toEqual([3]);
    // Among the best of all, the second time.
    expect(await search("far", 3, { named: 10, candidates: 100 })).toEqual(farHits);
    expect(asked).toEqual([12, 48]);
    // Too far away for that: by name, some at a time.
    expect(await search("far", 3, { named: 8, candidates: 12 })).toEqual(farHits);
    expect(asked).toEqual([12, 3, 3, 3]);
    expect(await search("unknown", 3, { named: 8, candidates: 12 })).toEqual([]);
  });
});
