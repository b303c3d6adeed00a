import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createMilvusStore } from "../../../src/store/milvus.js";
import type { VectorStore } from "../../../src/store/vector-store.js";
import { cell, IDENTITY, ids, notebook, put } from "../contract/fixtures.js";
import { createProxy } from "./proxy.js";
import { hasMilvusLite, LITE_ADDRESS, newPlace } from "./server.js";

const ONE = notebook("one.ipynb", [cell("one"), cell("two", [0, 1, 0, 0])]);
const SEARCH = { vector: Float32Array.of(1, 0, 0, 0), k: 3 };
const DOWN = { name: "RecommenderError", code: "STORE_UNAVAILABLE" };

describe.runIf(await hasMilvusLite())("Milvus over a bad connection", () => {
  const place = newPlace(LITE_ADDRESS);
  let proxy: Awaited<ReturnType<typeof createProxy>>;
  let store: VectorStore;

  beforeAll(async () => {
    proxy = await createProxy(LITE_ADDRESS);
    store = createMilvusStore({ address: proxy.address, identity: IDENTITY, prefix: place.prefix });
    await put(store, [ONE]);
    await store.settle();
  });
  afterAll(async () => {
    proxy.become("fine");
    await store.close();
    proxy.close();
    await place.drop();
  });

  const expectBack = async () => {
    proxy.become("fine");
    await vi.waitFor(() => store.ready(), { timeout: 10_000, interval: 100 });
    expect(ids(await store.search(SEARCH))).toEqual(ids(ONE.cells));
  };

  it("is detected within two seconds by `ready`, and within a few by a read, if the server is silent", async () => {
    await store.ready();
    proxy.become("hole");
    const start = Date.now();
    await expect(store.ready()).rejects.toMatchObject(DOWN);
    expect(Date.now() - start).toBeLessThan(2_000);
    await expectBack();

    proxy.become("hole");
    const again = Date.now();
    await expect(store.search(SEARCH)).rejects.toMatchObject(DOWN);
    expect(Date.now() - again).toBeLessThan(5_000);
    // The next call fails at once.
    const next = Date.now();
    await expect(store.search(SEARCH)).rejects.toMatchObject(DOWN);
    await expect(store.ready()).rejects.toMatchObject(DOWN);
    expect(Date.now() - next).toBeLessThan(4_000);
    await expectBack();
  });

  it("stops waiting when the caller does", async () => {
    proxy.become("hole");
    const gone = new Error("the client went away");
    const controller = new AbortController();
    const waiting = [
      store.search(SEARCH, controller.signal),
      store.lexical({ words: new Map([["one", 1]]), k: 3 }, controller.signal),
      store.cells(ids(ONE.cells), controller.signal),
      store.vectors(ids(ONE.cells), controller.signal),
      store.provenance(ids(ONE.cells), {}, controller.signal),
      store.nextCells(ids(ONE.cells), {}, controller.signal),
    ];
    const start = Date.now();
    controller.abort(gone);
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason)).toEqual(waiting.map(() => gone));
    expect(Date.now() - start).toBeLessThan(500);
    await expectBack();
  });

  it("is retried if connections break for a moment", async () => {
    proxy.become("reset");
    const waiting = store.search(SEARCH);
    await sleep(300);
    proxy.become("fine");
    expect(ids(await waiting)).toEqual(ids(ONE.cells));
  });

  it("fails at once with STORE_UNAVAILABLE while connections break, and works again afterwards", async () => {
    proxy.become("reset");
    const start = Date.now();
    await expect(store.search(SEARCH)).rejects.toMatchObject(DOWN);
    await expect(store.ready()).rejects.toMatchObject(DOWN);
    expect(Date.now() - start).toBeLessThan(8_000);
    await expectBack();
  });

  it("only takes longer on a slow connection", async () => {
    proxy.become("slow");
    expect(ids(await store.search(SEARCH))).toEqual(ids(ONE.cells));
    await expectBack();
  });

  it("has all that was acknowledged while the line broke again and again", async () => {
    let isOver = false;
    const storm = (async () => {
      for (let blow = 0; !isOver; blow++) {
        await sleep(900);
        proxy.become(blow % 4 === 3 ? "slow" : "reset");
        await sleep(100);
        proxy.become("fine");
      }
    })();
    const acknowledged = [];
    for (let round = 0; round < 10; round++) {
      const write = notebook(
        `round ${round % 4}.ipynb`,
        [cell(`shared ${round % 3}`), cell(`own ${round}`)],
        `v${round}`,
      );
      const isAcknowledged = await put(store, [write]).then(
        () => true,
        (error) => {
          expect(error).toMatchObject(DOWN);
          return false;
        },
      );
      // Waits like a client that was told to retry later.
      if (!isAcknowledged) await sleep(1_000);
      acknowledged[round % 4] = isAcknowledged ? write : undefined;
    }
    isOver = true;
    await storm;
    proxy.become("fine");
    await vi.waitFor(() => store.ready(), { timeout: 10_000, interval: 100 });
    for (const write of acknowledged) {
      if (write === undefined) continue;
      expect(await store.notebook(write.notebook.id)).toEqual(write.notebook);
      expect(await store.missing(ids(write.cells))).toEqual(new Set());
    }
    expect(acknowledged.some((write) => write !== undefined)).toBe(true);
  });
});
