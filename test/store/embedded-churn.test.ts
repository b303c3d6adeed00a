import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCellTable } from "../../src/store/embedded/cell-table.js";
import { createEmbeddedStore, type EmbeddedLimits } from "../../src/store/embedded.js";
import type { NewCell, SettleProgress } from "../../src/store/vector-store.js";
import { fastFolder } from "../fast-folder.js";
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
  sha,
} from "./contract/fixtures.js";

const makeFolder = () => {
  const folder = mkdtempSync(join(fastFolder, "celrec-churn-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
const open = (folder: string, exactBelow: number, limits: Partial<EmbeddedLimits> = {}) => {
  const writer = { pid: process.pid, activity: "test" };
  const small = { minSavedRows: 50, scannedPerCandidate: 0.1, settleAfterMs: 1_000_000, ...limits };
  const store = createEmbeddedStore({ folder, identity: IDENTITY, writer, hold: "call", exactBelow, limits: small });
  onTestFinished(() => store.close());
  return store;
};
const X = Float32Array.of(1, 0.5, 0.25, 0);
/** Version `round` of a notebook in which every cell has changed. */
const versionOf = (round: number): NewCell[] =>
  Array.from({ length: 50 }, (_, at) => cell(`x${at} = ${round}`, [1, at, round % 7, 1], ["load"]));
const graphs = (folder: string) => readdirSync(folder).filter((file) => file.startsWith("graph-"));

describe("a notebook that is saved again and again", () => {
  it("cleans up: no listed removals and no wrong answers, for old and new readers", async () => {
    const folder = makeFolder();
    const store = open(folder, 1_000, { keptRemovals: 40 });
    const reader = open(folder, 1_000);
    await put(store, [notebook("still.ipynb", randomCells(20, createRandom(1)))]);
    expect((await reader.search({ vector: X, k: 100 })).length).toBe(20);
    for (let round = 0; round < 30; round += 1) {
      await put(store, [notebook("saved.ipynb", versionOf(round), `v${round}`)]);
      if (round % 10 === 5) await store.search({ vector: X, k: 3 });
    }
    const all = [...randomCells(20, createRandom(1)), ...versionOf(29)];
    // The reader has missed more removals than are listed.
    for (const each of [store, reader, open(folder, 1_000)]) {
      expectHits(await each.search({ vector: X, k: 100 }), expectedHits(all, X, 100));
      expect((await each.lexical({ words: new Map([["x", 1]]), k: 100 }))!.length).toBe(50);
    }
    const database = new Libsql(join(folder, "cells.db"));
    onTestFinished(() => void database.close());
    const [[listed]] = database.prepare("select count(*) from removed").raw().all() as [[number]];
    expect(listed).toBeLessThanOrEqual(40);
  });

  it("reuses slots", () => {
    const table = createCellTable(4, "byte");
    for (let row = 1; row <= 10_000; row += 1) {
      const id = Buffer.from(sha(`${row}`), "hex");
      table.add({ row, id, bits: row % 2, primary: -1, vector: Float32Array.of(row, 1, 0, 0) });
      if (row > 100) table.remove(row - 100);
    }
    expect([table.size, table.slots, table.blocks.length]).toEqual([100, 101, 1]);
    expect(table.count((bits) => bits === 1)).toBe(50);
    expect([table.slotOf(9_900), table.slotOfId(sha("9900"))]).toEqual([-1, -1]);
    for (let row = 9_901; row <= 10_000; row += 1) {
      expect(table.slotOfId(sha(`${row}`))).toBe(table.slotOf(row));
      expect(table.idOf(table.slotOf(row))).toBe(sha(`${row}`));
    }
  });

  it("rebuilds a graph of mostly removed rows", async () => {
    const folder = makeFolder();
    const store = open(folder, 100);
    const cells = randomCells(1_000, createRandom(2));
    await put(store, [notebook("a.ipynb", cells.slice(0, 800)), notebook("b.ipynb", cells.slice(800))]);
    await store.settle();
    const before = statSync(join(folder, graphs(folder)[0]!)).size;
    await store.remove(sha("a.ipynb"));
    await store.settle();
    expect(graphs(folder).length).toBe(1);
    expect(statSync(join(folder, graphs(folder)[0]!)).size).toBeLessThan(before / 2);
    expectHits(await store.search({ vector: X, k: 5 }), expectedHits(cells.slice(800), X, 5));
  });

  it("gives the new vectors after a rewrite, by this process or another", async () => {
    const folder = makeFolder();
    const [store, reader] = [open(folder, 100), open(folder, 100)];
    const cells = randomCells(150, createRandom(8));
    await put(store, [notebook("a.ipynb", cells)]);
    for (const each of [store, reader]) expect((await each.vectors(ids(cells))).size).toBe(150);
    await store.rewrite(async (some) =>
      some.map(() => ({ labels: [], primary: null, vector: Float32Array.of(0, 0, 1, 1) })),
    );
    for (const each of [store, reader]) {
      expect(await each.vectors([cells[7]!.id])).toEqual(new Map([[cells[7]!.id, Float32Array.of(0, 0, 1, 1)]]));
      expect((await each.search({ vector: Float32Array.of(0, 0, 2, 2), k: 1 }))[0]!.score).toBeCloseTo(1, 9);
    }
  });

  it("is exact again when few cells are left", async () => {
    const folder = makeFolder();
    const store = open(folder, 100);
    const cells = randomCells(150, createRandom(3));
    await put(store, [notebook("a.ipynb", cells.slice(0, 80)), notebook("b.ipynb", cells.slice(80))]);
    await store.search({ vector: X, k: 3 });
    await store.remove(sha("a.ipynb"));
    expectHits(await store.search({ vector: X, k: 70 }), expectedHits(cells.slice(80), X, 70));
    expect(await store.vectors([cells[90]!.id])).toEqual(new Map([[cells[90]!.id, cells[90]!.vector]]));
  });
});

describe("settling", () => {
  it("builds the graph in parts with progress, while it answers and writes", async () => {
    const folder = makeFolder();
    const store = open(folder, 100, { partRows: 400 });
    const cells = randomCells(1_000, createRandom(4));
    await put(store, [notebook("a.ipynb", cells)]);
    const told: SettleProgress[] = [];
    let isOver = false;
    const settling = store.settle({ onProgress: (progress) => told.push(progress) }).finally(() => {
      isOver = true;
    });
    let answered = 0;
    for (; !isOver; answered += 1) {
      expectHits(await store.search({ vector: X, k: 5 }), expectedHits(cells, X, 5));
      await new Promise(setImmediate);
    }
    await settling;
    expect(answered).toBeGreaterThan(3);
    expect(graphs(folder).length).toBe(3);
    expect(told[0]).toEqual({ phase: "words", done: 1_000, total: 1_000 });
    expect(told.at(-1)).toEqual({ phase: "graph", done: 1_000, total: 1_000 });
    const done = told.map((progress) => progress.done);
    expect([...done.slice(1)].sort((a, b) => a - b)).toEqual(done.slice(1));
    await store.close();
    const again = open(folder, 100, { partRows: 400 });
    expectHits(await again.search({ vector: X, k: 5 }), expectedHits(cells, X, 5));
  });

  it("happens in the background after a write to a server", async () => {
    const folder = makeFolder();
    const store = open(folder, 100, { settleAfterMs: 20 });
    await put(store, [notebook("a.ipynb", randomCells(300, createRandom(5)))]);
    await expect
      .poll(() => graphs(folder).filter((file) => file.endsWith(".snapshot")).length, { timeout: 20_000 })
      .toBe(1);
  });

  it("can be stopped, and keeps the old content", async () => {
    const folder = makeFolder();
    const store = open(folder, 100);
    await put(store, [notebook("a.ipynb", randomCells(500, createRandom(6)))]);
    const stop = new AbortController();
    const settling = store.settle({ signal: stop.signal, onProgress: () => stop.abort(new Error("enough")) });
    await expect(settling).rejects.toThrow("enough");
    expect(graphs(folder)).toEqual([]);
    await store.settle();
    expect(graphs(folder).length).toBe(1);
    expect(ids(await store.search({ vector: X, k: 500 })).length).toBe(500);
  });

  it("does not rewrite large files for a few cells", async () => {
    const folder = makeFolder();
    const store = open(folder, 100, { maxBehindShare: 0.1 });
    const cells = randomCells(400, createRandom(7));
    await put(store, [notebook("a.ipynb", cells.slice(0, 380))]);
    await store.settle();
    const files = readdirSync(folder)
      .filter((file) => file.endsWith(".snapshot"))
      .sort();
    await put(store, [notebook("b.ipynb", cells.slice(380))]);
    await store.settle();
    expect(
      readdirSync(folder)
        .filter((file) => file.endsWith(".snapshot"))
        .sort(),
    ).toEqual(files);
    await store.close();
    expectHits(await open(folder, 100).search({ vector: X, k: 9 }), expectedHits(cells, X, 9));
  });
});
