import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { subwords } from "../../src/python/subwords.js";
import { createEmbeddedStore } from "../../src/store/embedded.js";
import type { VectorStore } from "../../src/store/vector-store.js";
import { cell, IDENTITY, notebook, put } from "./contract/fixtures.js";

const CELLS = 2_000;
const letters = (number: number) => `x${number.toString().replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)}`;
const code = (seed: number) =>
  Array.from({ length: 200 }, (_, at) => letters((seed * 7_919 + at * 104_729) % 50_021)).join(" + ");
const KEEP_UP_MS = 20;
const openStore = (folder: string, hold: "call" | "session", share: "alone" | "reader" = "alone") => {
  const writer = { pid: process.pid, activity: "test" };
  const limits = { keepUpMs: KEEP_UP_MS };
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold, share, exactBelow: 100, limits });
  onTestFinished(() => store.close());
  return store;
};

/** An index with a graph and a file of words. */
async function makeIndex(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "celrec-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const cells = Array.from({ length: CELLS }, (_, seed) =>
    cell(code(seed), [Math.cos(seed), Math.sin(seed), Math.cos(3 * seed), 1]),
  );
  const store = openStore(folder, "session");
  await put(store, [notebook("all.ipynb", cells)]);
  await store.settle();
  await store.close();
  return folder;
}

describe("an index that starts", () => {
  it("reads stored counters instead of counting, at any size", async () => {
    const folder = await makeIndex();
    const database = new Libsql(join(folder, "cells.db"));
    database.exec("update state set cells = 123456, notebooks = 789, occurrences = 234567");
    database.close();
    const store = openStore(folder, "call");
    expect(await store.counts()).toMatchObject({ cells: 123_456, notebooks: 789, occurrences: 234_567 });
  });

  it("is shared by readers, which copy data before changing it and give the same answers", async () => {
    const folder = await makeIndex();
    const [first, second, alone] = [0, 1, 2].map(() => openStore(folder, "call", "reader"));
    const loaded = await first!.openShared!();
    // Clones the value like a message to another thread.
    await second!.openShared!(structuredClone(loaded));
    expect([...loaded.keys()].map((file) => file.split("-")[0]).sort()).toEqual(["cells", "profiles", "words"]);
    const views = viewsIn(loaded);
    expect(views.every(({ buffer }) => buffer instanceof SharedArrayBuffer)).toBe(true);
    const before = views.map((view) => view.slice());
    const words = new Map(subwords(code(7)).map((word) => [word, 1]));
    const ask = async (store: VectorStore) => [
      await store.lexical({ words, k: 50 }),
      await store.search({ vector: Float32Array.of(1, 0, 0, 1), k: 50, rough: true }),
    ];
    const answers = await ask(alone!);
    expect([await ask(first!), await ask(second!)]).toEqual([answers, answers]);
    const writer = openStore(folder, "session");
    await put(writer, [notebook("new.ipynb", [cell(code(7_777), [1, 0, 0, 1])])]);
    await writer.remove(notebook("all.ipynb", []).notebook.id);
    await second!.refresh!("rows");
    expect((await ask(second!)).map((hits) => hits!.length)).toEqual([1, 1]);
    expect(views.every((view, at) => Buffer.compare(view, before[at]!) === 0)).toBe(true);
    await first!.refresh!("rows");
    expect(await ask(first!)).toEqual(await ask(second!));
  });

  it.runIf(existsSync("/proc/self/io"))(
    "reads all it needs before it is ready, not for the first question",
    async () => {
      const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
      const folder = await makeIndex();
      const store = openStore(folder, "call", "reader");
      const before = bytesRead();
      await store.open();
      await store.ready();
      const ready = bytesRead();
      // Long enough for several checks for writes of other processes; without writes nothing is read again.
      await after(10 * KEEP_UP_MS);
      const found = await store.lexical({ words: new Map(subwords(code(7)).map((word) => [word, 1])), k: 3 });
      await store.search({ vector: Float32Array.of(1, 0, 0, 1), k: 3 });
      const asked = bytesRead();
      expect(found).toHaveLength(3);
      expect(ready - before).toBeGreaterThan(1_000_000);
      expect(asked - ready).toBeLessThan((ready - before) / 10);
    },
  );
});

/** All arrays and buffers in the value. */
function viewsIn(content: unknown): Uint8Array[] {
  if (ArrayBuffer.isView(content)) return [new Uint8Array(content.buffer, content.byteOffset, content.byteLength)];
  if (content instanceof Map) return [...content.values()].flatMap(viewsIn);
  return typeof content === "object" && content !== null ? Object.values(content).flatMap(viewsIn) : [];
}
