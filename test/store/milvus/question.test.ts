import { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profileCell } from "../../../src/python/profile.js";
import { strip } from "../../../src/python/strip.js";
import { createMilvusStore } from "../../../src/store/milvus.js";
import { packProfile } from "../../../src/store/profile-pack.js";
import type { PoolQuery, VectorStore } from "../../../src/store/vector-store.js";
import {
  cell,
  createRandom,
  expectSoon,
  IDENTITY,
  ids,
  notebook,
  occurrence,
  put,
  sha,
  stored,
} from "../contract/fixtures.js";
import { createProxy } from "./proxy.js";
import { ADDRESS, hasMilvus, hasMilvusLite, LITE_ADDRESS, newPlace } from "./server.js";

const random = createRandom(9);
const NEAR = Array.from({ length: 60 }, (_, at) =>
  cell(`near_${at} = load(${at})`, [1, at / 100, 0, random() / 50], ["load"]),
);
const FAR = Array.from({ length: 60 }, (_, at) => cell(`far_${at} = plot(${at})`, [-1, at / 100, 0, 0], ["plot"]));
/** The nearest cell of all; it occurs in many notebooks. */
const POPULAR = {
  ...cell("popular = load()", [1, 0, 0, 0], ["load"]),
  profile: packProfile(profileCell("popular = load()")),
};
const QUERY = {
  vector: Float32Array.of(1, 0, 0, 0),
  words: new Map([["plot", 1]]),
  size: 20,
  max: 20,
  tie: 1,
  sizeWithoutWords: 40,
} as const;

describe.each([
  ["Milvus 2.3.5", ADDRESS, await hasMilvus(), false],
  ["Milvus Lite", LITE_ADDRESS, await hasMilvusLite(), true],
] as const)("a question to %s", (_, address, isThere, hasWords) => {
  describe.runIf(isThere)("that is running", () => {
    const place = newPlace(address);
    let store: VectorStore;
    let proxy: Awaited<ReturnType<typeof createProxy>>;
    beforeAll(async () => {
      proxy = await createProxy(address);
      store = createMilvusStore({ address: proxy.address, identity: IDENTITY, prefix: place.prefix });
      const copies = Array.from({ length: 12 }, (_, at) => notebook(`copy ${at}.ipynb`, [POPULAR]));
      await put(store, [notebook("near.ipynb", NEAR), notebook("far.ipynb", FAR), ...copies]);
      const all = { vector: QUERY.vector, k: 200 };
      await expectSoon(store, async () => (await store.search(all)).length, 121);
    });
    afterAll(async () => {
      proxy.become("fine");
      await store.close();
      proxy.close();
      await place.drop();
    });

    it("has the best by vector and, if the server supports it, by words", async () => {
      const { inside: pool } = await store.forQuestion!().pool!(QUERY);
      const near = ids([POPULAR, ...NEAR]);
      const found = pool.filter((id) => near.includes(id));
      expect(found.length).toBe(hasWords ? 20 : 40);
      expect(found[0]).toBe(POPULAR.id);
      expect(pool.length - found.length).toBe(hasWords ? 20 : 0);
    });

    it("reads nothing again that its search has found, even after the connection breaks", async () => {
      const question = store.forQuestion!();
      const { inside: pool } = await question.pool!(QUERY);
      proxy.become("hole");
      const shown = pool.slice(0, 3);
      const known = new Map([POPULAR, ...NEAR].map((each) => [each.id, each]));
      // The cleaned code is made from the code.
      const cells = shown.map((id) => ({ ...stored(known.get(id)!), clean: strip(known.get(id)!.code).text }));
      expect(await question.cells(shown)).toEqual(cells);
      const vectors = await question.roughVectors!(shown);
      expect([...vectors.keys()]).toEqual(shown);
      expect(vectors.get(POPULAR.id)![0]).toBeCloseTo(1, 6);
      expect(await question.profiles!(shown)).toEqual(new Map([[POPULAR.id, POPULAR.profile]]));
      const places = await question.provenance([POPULAR.id], { notebooks: [sha("copy 0.ipynb")] });
      expect(places).toEqual(new Map([[POPULAR.id, { count: 11, first: occurrence("copy 1.ipynb", 0) }]]));
      proxy.become("fine");
    });

    it("transfers no more bytes with a filter by source than without", async () => {
      const bytesOf = async (query: PoolQuery) => {
        const before = proxy.received();
        await store.forQuestion!().pool!(query);
        return proxy.received() - before;
      };
      await bytesOf(QUERY);
      const usual = await bytesOf(QUERY);
      const filtered = await bytesOf({ ...QUERY, notebooks: { sources: ["corpus", "another"] } });
      expect(Math.abs(filtered - usual)).toBeLessThan(usual / 20);
    });

    it("sends searches that are started together in one call", async () => {
      const { prototype } = MilvusClient as unknown as { prototype: Record<"search", (...args: unknown[]) => unknown> };
      const original = prototype.search;
      let calls = 0;
      prototype.search = function (this: unknown, ...args) {
        calls += 1;
        return original.apply(this, args);
      };
      const other = createMilvusStore({ address, identity: IDENTITY, prefix: place.prefix });
      try {
        const vectors = [QUERY.vector, FAR[3]!.vector, NEAR[30]!.vector];
        const search = (vector: Float32Array) => other.search({ vector, k: 5 });
        const alone = [];
        for (const vector of vectors) alone.push(await search(vector));
        expect(alone.map(([first]) => first!.id)).toEqual([POPULAR.id, FAR[3]!.id, NEAR[30]!.id]);
        calls = 0;
        expect(await Promise.all(vectors.map(search))).toEqual(alone);
        expect(calls).toBe(1);
      } finally {
        prototype.search = original;
        await other.close();
      }
    });

    it("returns, besides the cells that pass the label filter, others that may continue the typed line", async () => {
      const filter = { field: "labels", any: ["plot"], unlabelled: false } as const;
      const ask = (more: Partial<PoolQuery>) => store.forQuestion!().pool!({ ...QUERY, ...more });
      const { inside } = await ask({ filter });
      const { inside: all } = await ask({});
      const line = { words: new Map([["near", 1]]), isFiltered: false };
      const both = await ask({ filter, line });
      expect(both.inside).toEqual(inside);
      const others = all.filter((id) => !inside.includes(id));
      // With a search by words, those with the words of the line; otherwise the nearest, some more than without a filter.
      if (hasWords) expect(new Set(both.outside)).toEqual(new Set(ids(NEAR)));
      else expect(both.outside.slice(0, others.length)).toEqual(others);
      expect(both.outside.length).toBe(60);
      const filtered = await ask({ filter, line: { ...line, isFiltered: true } });
      expect(filtered).toEqual({ inside, outside: [] });
    });

    it("filters by label, source and votes in the same call", async () => {
      const filter = { field: "labels", any: ["plot"], unlabelled: false } as const;
      const { inside: pool } = await store.forQuestion!().pool!({ ...QUERY, filter });
      expect(pool.every((id) => ids(FAR).includes(id))).toBe(true);
      expect(pool.length).toBeGreaterThanOrEqual(20);
      const nothing = { inside: [], outside: [] };
      expect(await store.forQuestion!().pool!({ ...QUERY, notebooks: { sources: ["elsewhere"] } })).toEqual(nothing);
      expect(await store.forQuestion!().pool!({ ...QUERY, notebooks: { minVotes: 1 } })).toEqual(nothing);
    });
  });
});
