import { afterEach, describe, expect, it } from "vitest";
import { createCollections } from "../../../src/store/milvus/collections.js";
import { createConnection } from "../../../src/store/milvus/connection.js";
import { createGenerations } from "../../../src/store/milvus/generations.js";
import { createJournal } from "../../../src/store/milvus/journal.js";
import { createWrites } from "../../../src/store/milvus/notebook-writes.js";
import { createTables, type Tables } from "../../../src/store/milvus/tables.js";
import { createMilvusStore } from "../../../src/store/milvus.js";
import type { VectorStore } from "../../../src/store/vector-store.js";
import { cell, IDENTITY, ids, type NotebookWrite, notebook, put } from "../contract/fixtures.js";
import { createProxy } from "./proxy.js";
import { hasMilvusLite, LITE_ADDRESS, type MilvusPlace, newPlace, useClient } from "./server.js";

const [KEPT, GONE, ADDED] = [cell("kept"), cell("gone", [0, 1, 0, 0]), cell("added", [0, 0, 1, 0])];
const OLD = notebook("one.ipynb", [KEPT!, GONE!]);
const NEW = notebook("one.ipynb", [ADDED!, KEPT!], "v2", 1);
const OTHER = notebook("two.ipynb", [KEPT!]);
const ALL = { vector: Float32Array.of(1, 1, 1, 1), k: 100, strong: true };

describe.runIf(await hasMilvusLite())("a process that ends in the middle", () => {
  const places: MilvusPlace[] = [];
  const stores: VectorStore[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const place of places.splice(0)) await place.drop();
  });
  const fresh = async () => {
    const place = newPlace(LITE_ADDRESS);
    places.push(place);
    const store = place.open(IDENTITY);
    stores.push(store);
    await put(store, [OLD, OTHER]);
    return { place, store };
  };

  // The steps of a write: journal entry, stamp, rows, heads, deletion of older rows and heads, end of the journal
  // entry.
  it.each([0, 1, 2, 3, 4, 5, 6])(
    "leaves one complete version of a notebook if a replacement broke off after %i changes",
    async (steps) => {
      const { place, store } = await fresh();
      await breakOff(place, steps, (writes, generation) =>
        writes.put(generation, [NEW.notebook], async (missing) => NEW.cells.filter(({ id }) => missing.includes(id))),
      );
      const now = steps < 4 ? OLD : NEW;
      expect(await store.notebook(OLD.notebook.id)).toEqual(now.notebook);
      await expectNumbers(store, [now, OTHER]);
      // Every writing command cleans up.
      await store.settle();
      await expectOnly(store, [now, OTHER]);
      await put(store, [NEW]);
      await expectOnly(store, [NEW, OTHER]);
      expect(await journalOf(place)).toEqual(["current"]);
    },
  );

  it("leaves nothing of a write of which the server refused a part", async () => {
    const { place, store } = await fresh();
    const write = notebook("three.ipynb", [ADDED!]);
    const action: Parameters<typeof breakOff>[2] = (writes, generation) =>
      writes.put(generation, [write.notebook], async () => write.cells);
    await breakOff(place, 3, action, { isRefused: true });
    expect(ids(await store.search(ALL))).toContain(ADDED!.id);
    await store.settle();
    await expectOnly(store, [OLD, OTHER]);
    expect(await journalOf(place)).toEqual(["current"]);
  });

  // The steps of a removal: adding tombstones, then deleting older rows, older heads and the tombstones.
  it.each([0, 1, 2, 3])("leaves a removal that broke off after %i changes to the next process", async (steps) => {
    const { place, store } = await fresh();
    await breakOff(place, steps, async (writes, generation) =>
      writes.remove(generation, await writes.headsOf(generation, [OLD.notebook.id])),
    );
    const left = steps === 0 ? [OLD, OTHER] : [OTHER];
    expect(await store.notebook(OLD.notebook.id)).toEqual(steps === 0 ? OLD.notebook : null);
    await expectNumbers(store, left);
    await store.settle();
    await expectOnly(store, left);
  });

  it("does not slow readers: a question transfers the same bytes during a removal as before it", async () => {
    const { place, store } = await fresh();
    const many = Array.from({ length: 200 }, (_, at) => notebook(`${at}.ipynb`, [cell(`x = ${at}`, [0, 1, at, 0])]));
    await put(store, many);
    const proxy = await createProxy(place.address);
    const reader = createMilvusStore({ address: proxy.address, identity: IDENTITY, prefix: place.prefix });
    stores.push(reader);
    const question = { size: 10, max: 10, tie: 1, sizeWithoutWords: 20, words: new Map([["x", 1]]) };
    const ask = async () => {
      const before = proxy.received();
      await reader.forQuestion!().pool!({ ...question, vector: ALL.vector });
      return proxy.received() - before;
    };
    await ask();
    const usual = await ask();
    await breakOff(place, 1, async (writes, generation) =>
      writes.remove(generation, await writes.headsOfSource(generation, "corpus")),
    );
    expect(Math.abs((await ask()) - usual)).toBeLessThan(usual / 20);
    await reader.close();
    proxy.close();
  });
});

/**
 * Runs an action in a process that ends after some changes; later changes never arrive.
 * With `isRefused`, the process lives on, and the server refuses further rows.
 */
async function breakOff(
  { address, prefix }: MilvusPlace,
  steps: number,
  action: (writes: ReturnType<typeof createWrites>, generation: never) => Promise<unknown>,
  { isRefused = false } = {},
): Promise<void> {
  const connection = createConnection({ address, timeoutMs: 10_000 });
  let left = steps;
  const step = () => {
    left -= 1;
    if (left < 0) throw new Error("broke off");
  };
  const tables = createTables(connection);
  const breaking: Tables = {
    ...tables,
    async upsert(name, rows) {
      if (rows.length > 0) step();
      await tables.upsert(name, rows);
    },
    async removeWhere(name, filter) {
      if (!isRefused) step();
      await tables.removeWhere(name, filter);
    },
  };
  const journal = createJournal(breaking, `${prefix}_index`);
  const collections = createCollections(connection);
  const generations = createGenerations({ collections, journal, identity: IDENTITY, address, prefix });
  const writes = createWrites({ tables: breaking, journal, generations });
  const outcome = await action(writes, (await generations.current()) as never).then(
    () => "done",
    (error: Error) => error.message,
  );
  expect(["done", "broke off"]).toContain(outcome);
  await connection.close();
  await markWriterDead({ address, prefix });
}

/** Replaces the writer in the journal, which is the running process of this test, by a process id that does not exist. */
async function markWriterDead({ address, prefix }: Pick<MilvusPlace, "address" | "prefix">): Promise<void> {
  await useClient(address, async (client) => {
    const collection_name = `${prefix}_index`;
    const { data } = await client.query({
      collection_name,
      filter: 'kind == "write"',
      output_fields: ["id", "kind", "process", "about"],
      limit: 10,
      consistency_level: "Strong" as never,
    });
    for (const { id, kind, process: owner, about } of data) {
      const dead = `${String(owner).replace(/ \d+$/, "")} 4194305`;
      await client.upsert({
        collection_name,
        data: [{ id, kind, process: dead, beat: Date.now(), about, anchor: [0, 0] }],
      });
    }
  });
}

function journalOf({ address, prefix }: MilvusPlace): Promise<string[]> {
  return useClient(address, async (client) => {
    const { data } = await client.query({
      collection_name: `${prefix}_index`,
      filter: 'id > ""',
      output_fields: ["id"],
      limit: 10,
      consistency_level: "Strong" as never,
    });
    return data.map(({ id }) => String(id));
  });
}

/** Leftovers of a killed process never count. */
async function expectNumbers(store: VectorStore, writes: readonly NotebookWrite[]): Promise<void> {
  const cells = new Set(writes.flatMap((write) => ids(write.cells)));
  const occurrences = writes.reduce((sum, write) => sum + write.cells.length, 0);
  const labels = { load: 0, plot: 0, train: 0 };
  expect(await store.counts()).toEqual({ cells: cells.size, notebooks: writes.length, occurrences, labels });
}

/** Exactly these notebooks exist, completely. */
async function expectOnly(store: VectorStore, writes: readonly NotebookWrite[]): Promise<void> {
  for (const { notebook } of writes) expect(await store.notebook(notebook.id)).toEqual(notebook);
  await expectNumbers(store, writes);
  const cells = new Set(writes.flatMap((write) => ids(write.cells)));
  expect(new Set(ids(await store.search(ALL)))).toEqual(cells);
}
