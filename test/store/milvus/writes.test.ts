import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConnection } from "../../../src/store/milvus/connection.js";
import { createGenerations, type Generation } from "../../../src/store/milvus/generations.js";
import { createTables, type Tables } from "../../../src/store/milvus/tables.js";
import { createWrites } from "../../../src/store/milvus/writes.js";
import { cell, IDENTITY, ids, notebook, put } from "../contract/fixtures.js";
import { ADDRESS, hasMilvus, newPlace } from "./server.js";

describe.runIf(await hasMilvus())("an interrupted write", () => {
  const place = newPlace();
  const store = place.open(IDENTITY);
  const connection = createConnection({ address: ADDRESS, timeoutMs: 20_000 });
  const tables = createTables(connection);
  let generation: Generation;

  beforeAll(async () => {
    await store.open();
    generation = (await createGenerations({ connection, address: ADDRESS, prefix: place.prefix }).find())!;
  });
  afterAll(async () => {
    await Promise.all([store.close(), connection.close()]);
    await place.drop();
  });

  it.concurrent.each([0, 1, 2, 3, 4, 5])(
    "is repaired by repeating it: a replacement that broke off after %i steps",
    async (steps) => {
      const [kept, gone, added] = ["kept", "gone", "added"].map((name) => cell(`${name}(${steps})`));
      const name = `${steps}.ipynb`;
      await put(store, [notebook(name, [kept!, gone!])]);
      const newer = notebook(name, [added!, kept!], "v2", 1);
      await expect(createWrites(breakingAfter(steps)).put(generation, [newer.notebook], newer.cells)).rejects.toThrow(
        "broke off",
      );
      expect((await store.notebook(newer.notebook.id))?.version).not.toBe(newer.notebook.version);
      await put(store, [newer]);
      expect(await store.notebook(newer.notebook.id)).toEqual(newer.notebook);
      expect(await store.missing(ids([kept!, gone!, added!]))).toEqual(new Set([gone!.id]));
      expect((await store.occurrences(gone!.id, { limit: 1_000 })).length).toBe(0);
      expect((await store.occurrences(kept!.id, { limit: 1_000 })).length).toBe(1);
    },
  );

  it.concurrent.each([0, 1, 2, 3])(
    "is repaired by repeating it: a removal that broke off after %i steps",
    async (steps) => {
      const only = cell(`only(${steps})`);
      const { notebook: removed, cells } = notebook(`removed-${steps}.ipynb`, [only]);
      await put(store, [{ notebook: removed, cells }]);
      await expect(createWrites(breakingAfter(steps)).remove(generation, removed.id)).rejects.toThrow("broke off");
      expect(await store.remove(removed.id)).toBe(true);
      expect(await store.notebook(removed.id)).toBe(null);
      expect(await store.missing([only.id])).toEqual(new Set([only.id]));
      expect(await store.occurrences(only.id, { limit: 1_000 })).toEqual([]);
    },
  );

  /** As if the process ended: the first changes arrive, the next one never does. */
  function breakingAfter(steps: number): Tables {
    let left = steps;
    const step = () => {
      left -= 1;
      if (left < 0) throw new Error("broke off");
    };
    return {
      ...tables,
      async upsert(name, rows) {
        if (rows.length > 0) step();
        await tables.upsert(name, rows);
      },
      async remove(name, removed) {
        if (removed.length > 0) step();
        await tables.remove(name, removed);
      },
    };
  }
});
