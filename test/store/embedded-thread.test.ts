import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { cell, IDENTITY, ids, notebook, put, sha, stored } from "./contract/fixtures.js";

/** A store whose changes are all made by another thread, or all on this one. */
async function open(by: "thread" | "here") {
  const folder = await mkdtemp(join(tmpdir(), "celrec-test-"));
  const max = by === "thread" ? -1 : Number.POSITIVE_INFINITY;
  const limits = { inlineCells: max, inlineCode: max };
  const writer = { pid: process.pid, activity: "test" };
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold: "call", limits });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, folder };
}

const many = Array.from({ length: 300 }, (_, at) => cell(`x = ${at}`, [1, at, 1, 0], ["load"]));

/** The answers of a store while notebooks are added, changed and removed. */
async function tell(store: VectorStore): Promise<unknown[]> {
  const told: unknown[] = [];
  const look = async () => {
    const hits = await store.search({ vector: Float32Array.of(1, 3, 1, 0), k: 3 });
    told.push(await store.counts(), ids(hits), await store.notebooks({ limit: 10 }));
  };
  told.push(await put(store, [notebook("a", many), notebook("b", many.slice(0, 5))]));
  await look();
  told.push(await put(store, [notebook("a", many.slice(0, 2), "v2")]));
  await look();
  told.push(await store.remove(sha("b")), await store.remove(sha("b")), await store.remove("nonsense"));
  await look();
  await store.clear();
  await look();
  told.push(await put(store, [notebook("c", [many[7]!])]));
  await look();
  return told;
}

describe("changes that another thread makes", () => {
  it("equal those made by the calling thread", async () => {
    const { store } = await open("thread");
    const other = await open("here");
    const told = await tell(store);
    expect(told).toEqual(await tell(other.store));
    expect(told[0]).toMatchObject({ added: new Set(many.map(({ id }) => id)) });
    expect(await store.cells([many[7]!.id])).toEqual([stored(many[7]!)]);
    expect((await store.vectors([many[7]!.id])).get(many[7]!.id)).toEqual(many[7]!.vector);
  });

  it("fail with the same message, and the next change succeeds", async () => {
    const { store, folder } = await open("thread");
    await put(store, [notebook("a", [many[0]!])]);
    const database = new Libsql(join(folder, "cells.db"));
    onTestFinished(() => void database.close());
    database.exec("alter table positions rename to hidden");
    await expect(put(store, [notebook("b", many)])).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      message: expect.stringContaining("is damaged"),
    });
    database.exec("alter table hidden rename to positions");
    expect((await store.counts()).cells).toBe(1);
    await put(store, [notebook("b", many)]);
    expect((await store.counts()).cells).toBe(300);
  });
});
