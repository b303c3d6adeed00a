import { afterEach, describe, expect, it } from "vitest";
import type { VectorStore } from "../../../src/store/vector-store.js";
import { cell, IDENTITY, ids, notebook, put } from "../contract/fixtures.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS, type MilvusPlace, newPlace, useClient } from "./server.js";

const HEAD = cell("df.head()", [1, 0, 0, 0]);
/** Vectors at increasing angles to the first one. */
const OTHERS = Array.from({ length: 120 }, (_, at) => cell(`other_${at}`, [1, (at + 1) / 100, 0, 0]));
const places: MilvusPlace[] = [];
const stores: VectorStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const place of places.splice(0)) await place.drop();
});
function open(address: string, exactLimit?: number) {
  const place = newPlace(address);
  places.push(place);
  const store = place.open(IDENTITY, exactLimit === undefined ? {} : { exactLimit });
  stores.push(store);
  return { place, store };
}

describe.runIf(await hasMilvus())("a cell that occurs in thousands of notebooks of Milvus 2.3.5", () => {
  it("does not hide its neighbours in a graph", { timeout: 300_000 }, async () => {
    const { store } = open(ADDRESS, 100);
    const copies = Array.from({ length: 3_000 }, (_, at) => notebook(`copy ${at}.ipynb`, [HEAD]));
    await put(store, [notebook("others.ipynb", OTHERS), ...copies]);
    await store.settle();
    const hits = await store.search({ vector: HEAD.vector, k: 20, strong: true });
    expect(ids(hits)).toEqual(ids([HEAD, ...OTHERS.slice(0, 19)]));
    expect((await store.provenance([HEAD.id])).get(HEAD.id)?.count).toBe(3_000);
  });

  it("does not prevent hundreds of concurrent requests for its notebooks", { timeout: 120_000 }, async () => {
    const { store } = open(ADDRESS);
    const writes = Array.from({ length: 200 }, (_, at) => notebook(`copy ${at}.ipynb`, [HEAD]));
    await put(store, writes);
    const found = await Promise.all(writes.map(({ notebook: { id } }) => store.notebook(id)));
    expect(found).toEqual(writes.map((write) => write.notebook));
  });
});

describe.runIf(await hasMilvusLite())("rows that a server stores more than once", () => {
  it("neither block a search nor hide other cells", { timeout: 60_000 }, async () => {
    const { place, store } = open(LITE_ADDRESS);
    const one = notebook("one.ipynb", [HEAD, ...OTHERS.slice(0, 5)]);
    await put(store, [one]);
    await useClient(LITE_ADDRESS, async (client) => {
      const { data } = await client.listCollections();
      const { name } = data.find((each) => each.name.startsWith(`${place.prefix}_cells`))!;
      const fields = ["id", "content", "copy", "notebook", "stamp", "source", "votes", "primary", "labels"];
      const output_fields = [...fields, "about", "cell", "clean", "vector", "words"];
      const { data: rows } = await client.query({ collection_name: name, filter: 'id > ""', limit: 10, output_fields });
      const again = rows.map((row) => ({ ...row, labels: [], vector: Array.from(row.vector as number[]) }));
      // Two inserts with one key are both kept, as with two concurrent upserts.
      for (let round = 0; round < 40; round += 1) await client.insert({ collection_name: name, data: again as never });
    });
    const hits = await store.search({ vector: HEAD.vector, k: 6, strong: true });
    expect(ids(hits)).toEqual(ids(one.cells));
    expect(await store.notebook(one.notebook.id)).toMatchObject({ id: one.notebook.id });
    expect(await store.counts()).toMatchObject({ cells: 6, notebooks: 1, occurrences: 6 });
  });
});
