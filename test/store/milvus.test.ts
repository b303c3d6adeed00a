import { createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createMilvusStore } from "../../src/store/milvus.js";
import {
  cell,
  createRandom,
  expectedHits,
  expectHits,
  IDENTITY,
  ids,
  notebook,
  put,
  randomCells,
} from "./contract/fixtures.js";
import { describeVectorStore } from "./contract.js";
import {
  ADDRESS,
  collectionsOf,
  hasMilvus,
  hasMilvusLite,
  LITE_ADDRESS,
  type MilvusPlace,
  newPlace,
  useClient,
} from "./milvus/server.js";

const X = Float32Array.of(1, 0, 0, 0);

describe.runIf(await hasMilvus())("Milvus 2.3.5", () => describeVectorStore("milvus", preparing(ADDRESS)));
describe.runIf(await hasMilvusLite())("Milvus Lite", () => describeVectorStore("milvus", preparing(LITE_ADDRESS)));

describe.runIf(await hasMilvus())("Milvus", () => {
  describe.concurrent("an index that several processes use", () => {
    const places: MilvusPlace[] = [];
    const place = () => {
      const fresh = newPlace();
      places.push(fresh);
      return fresh;
    };
    afterAll(async () => {
      for (const used of places) await used.drop();
    });

    it("is created once when two processes open it at the same time", async () => {
      const { open, prefix } = place();
      const [one, two] = [open(IDENTITY), open(IDENTITY)];
      await Promise.all([one.open(), two.open()]);
      expect(await collectionsOf(prefix)).toEqual(["cells", "index", "notebooks"]);
      await put(one, [notebook("one.ipynb", [cell("one")])]);
      expect(ids(await two.search({ vector: X, k: 3, strong: true }))).toEqual(ids([cell("one")]));
      await Promise.all([one.close(), two.close()]);
    });

    it("is created by the next process if one was killed before it had loaded the index", async () => {
      const { open, prefix } = place();
      await open(IDENTITY).open();
      await useClient(ADDRESS, (client) => client.releaseCollection({ collection_name: `${prefix}_index` }));
      const store = open(IDENTITY);
      await put(store, [notebook("one.ipynb", [cell("one")])]);
      expect(ids(await store.search({ vector: X, k: 3, strong: true }))).toEqual(ids([cell("one")]));
      await store.close();
    });

    it("rejects processes with the old embedder after a re-embedding", async () => {
      const { open, prefix } = place();
      const [old, next] = [open(IDENTITY), open({ ...IDENTITY, embedder: "next@2" })];
      await put(old, [notebook("one.ipynb", [cell("one")])]);
      await next.rewrite(async (cells) => cells.map(({ labels, primary }) => ({ labels, primary, vector: X })));
      await expect(old.search({ vector: X, k: 3 })).rejects.toMatchObject({ code: "INDEX_MISMATCH" });
      expect(await collectionsOf(prefix)).toEqual(["cells", "index", "notebooks"]);
      await Promise.all([old.close(), next.close()]);
    });

    it("still serves readers while another process empties it", async () => {
      const { open } = place();
      const [writer, reader] = [open(IDENTITY), open(IDENTITY)];
      await put(writer, [notebook("one.ipynb", [cell("one")])]);
      expect((await reader.search({ vector: X, k: 3, strong: true })).length).toBe(1);
      await writer.clear();
      expect(await reader.search({ vector: X, k: 3, strong: true })).toEqual([]);
      await Promise.all([writer.close(), reader.close()]);
    });

    it("gets a graph when it grows beyond the limit of exact search, and loses nothing", async () => {
      const { open, prefix } = place();
      const [writer, reader] = [open(IDENTITY, { exactLimit: 100 }), open(IDENTITY, { exactLimit: 100 })];
      const cells = randomCells(250, createRandom(7), ["plot"]);
      const one = notebook("one.ipynb", cells.slice(0, 90));
      await put(writer, [one]);
      expect((await reader.search({ vector: X, k: 200, strong: true })).length).toBe(90);
      await put(writer, [notebook("two.ipynb", cells.slice(90))]);
      await writer.settle();
      expect(await indexOf(prefix)).toBe("HNSW");
      expectHits(await reader.search({ vector: X, k: 300, strong: true }), expectedHits(cells, X, 300));
      expect(await reader.notebook(one.notebook.id)).toEqual(one.notebook);
      const labels = { load: 0, plot: 250, train: 0 };
      expect(await writer.counts()).toEqual({ cells: 250, notebooks: 2, occurrences: 250, labels });
      expect(await collectionsOf(prefix)).toEqual(["cells", "index", "notebooks"]);
      await Promise.all([writer.close(), reader.close()]);
    });

    it("is refused with the commands that move it if it has an earlier layout, and can only be emptied", async () => {
      const { open, prefix } = place();
      const before = open(IDENTITY);
      await before.open();
      await before.close();
      await useClient(ADDRESS, async (client) => {
        const collection_name = `${prefix}_index`;
        const { data } = await client.query({
          collection_name,
          filter: 'kind == "current"',
          limit: 1,
          output_fields: ["id", "kind", "process", "beat", "about"],
          consistency_level: "Strong" as never,
        });
        const about = String(data[0]!.about).replace(/"layout":\d+,/, "");
        await client.upsert({ collection_name, data: [{ ...data[0], about, anchor: [0, 0] }] });
      });
      const store = open(IDENTITY);
      const refused = { code: "INDEX_MISMATCH", message: expect.stringContaining("celrec import cells.parquet") };
      await expect(store.open()).rejects.toMatchObject(refused);
      await expect(store.rewrite(async () => [])).rejects.toMatchObject(refused);
      await store.clear();
      expect(await store.counts()).toMatchObject({ cells: 0, notebooks: 0 });
      await store.close();
    });

    it("is not created from a foreign collection", async () => {
      const { open, prefix } = place();
      const fields = [
        { name: "id", data_type: "Int64", is_primary_key: true, autoID: true },
        { name: "vector", data_type: "FloatVector", dim: 4 },
      ] as const;
      await useClient(ADDRESS, (client) =>
        client.createCollection({ collection_name: `${prefix}_index`, fields: [...fields] }),
      );
      const store = open(IDENTITY);
      await expect(store.open()).rejects.toMatchObject({
        code: "INDEX_MISMATCH",
        message: `The collection ${prefix}_index in Milvus at ${ADDRESS} is not a celrec index; rename or remove it.`,
      });
      await store.close();
      await useClient(ADDRESS, (client) => client.dropCollection({ collection_name: `${prefix}_index` }));
    });
  });
});

describe("a Milvus server that is not running", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it("makes every call fail at once, with an error that names its address", async () => {
    const store = createMilvusStore({ address: "127.0.0.1:1", identity: IDENTITY });
    const start = Date.now();
    const down = {
      name: "RecommenderError",
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("127.0.0.1:1 "),
    };
    await expect(store.open()).rejects.toMatchObject(down);
    await expect(store.search({ vector: X, k: 3 })).rejects.toMatchObject(down);
    await expect(put(store, [notebook("one.ipynb", [cell("one")])])).rejects.toMatchObject(down);
    expect(Date.now() - start).toBeLessThan(6_000);
    await store.close();
  });

  it("is given up after five seconds if it accepts the call and never answers", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const store = createMilvusStore({ address: `127.0.0.1:${port}`, identity: IDENTITY });
    const start = Date.now();
    await expect(store.open()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(Date.now() - start).toBeLessThan(8_000);
    await store.close();
    for (const socket of sockets) socket.destroy();
  });
});

/**
 * Milvus needs three seconds for a new index, so indexes for the next tests are made while a test runs. If all tests
 * are skipped, none is made.
 */
function preparing(address: string) {
  const prepared: Promise<MilvusPlace>[] = [];
  const prepare = async () => {
    const place = newPlace(address);
    const store = place.open(IDENTITY);
    await store.open();
    await store.close();
    return place;
  };
  beforeAll(() => {
    prepared.push(...Array.from({ length: 3 }, prepare));
  });
  afterAll(async () => {
    for (const place of await Promise.all(prepared)) await place.drop();
  });
  return () => {
    prepared.push(prepare());
    return prepared.shift()!;
  };
}

/** The kind of index that a collection has for its vectors. */
async function indexOf(prefix: string): Promise<string | undefined> {
  return useClient(ADDRESS, async (client) => {
    const { data } = await client.listCollections();
    const { name } = data.find((each) => each.name.startsWith(`${prefix}_cells`))!;
    const { index_descriptions } = await client.describeIndex({ collection_name: name, field_name: "vector" });
    // Milvus 2.3.5 lists the indexes of all fields, in any order.
    const own = index_descriptions.find(({ field_name }) => field_name === "vector");
    return own?.params.find(({ key }) => key === "index_type")?.value as string | undefined;
  });
}
