import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBestRows } from "../../../src/store/best-rows.js";
import { createBackground } from "../../../src/store/embedded/background.js";
import { BLOCK, type CellTable, createBlock, createCellTable } from "../../../src/store/embedded/cell-table.js";
import { createGraph, createTail, type Graph, viewPart } from "../../../src/store/embedded/graph.js";
import { buildPart } from "../../../src/store/embedded/graph-build.js";
import { findNearest, type NearestLimits } from "../../../src/store/embedded/nearest.js";
import { best, offerNearest, scan } from "../../../src/store/embedded/scan.js";
import { openSealed, type SnapshotFacts } from "../../../src/store/embedded/snapshots.js";
import { takeSettleLock, takeWriterLock } from "../../../src/store/embedded/writer-lock.js";
import { writeVector } from "../../../src/store/stored-bytes.js";
import { createRandom, sha } from "../contract/fixtures.js";

const idOf = (row: number) => Buffer.from(sha(`${row}`), "hex");
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "celrec-search-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
/** Rows from 1 on, at these angles in the plane; odd rows have label bit 1. */
function tableOf(precision: "float" | "byte", angles: readonly number[]): CellTable {
  const table = createCellTable(2, precision);
  for (const [at, angle] of angles.entries()) {
    const row = at + 1;
    const vector = Float32Array.of(Math.cos(angle), Math.sin(angle));
    table.add({ row, id: idOf(row), bits: row % 2, primary: row % 2 === 1 ? 0 : -1, vector });
  }
  return table;
}
const X = Float32Array.of(1, 0);
const odd = (bits: number): boolean => bits === 1;

describe("a table of cells", () => {
  it("returns stored notebooks until they are removed", () => {
    const table = tableOf("float", [0, 1, 2]);
    expect([table.slots, table.size, table.dimensions, table.precision]).toEqual([3, 3, 2, "float"]);
    expect([table.slotOf(2), table.slotOfId(sha("2")), table.rowOf(1), table.idOf(1)]).toEqual([1, 1, 2, sha("2")]);
    expect(table.cellOf(0)).toEqual({ row: 1, id: new Uint8Array(idOf(1)), bits: 1, primary: 0, vector: X });
    expect([table.count(null), table.count(odd), table.accepts(0, odd), table.accepts(1, odd)]).toEqual([
      3,
      2,
      true,
      false,
    ]);
    table.remove(1);
    table.remove(1);
    expect([table.slots, table.size, table.count(odd), table.slotOf(1), table.cellOf(0)]).toEqual([3, 2, 1, -1, null]);
    expect([table.accepts(0, null), table.accepts(1, null), [...table.vectorOf(0)]]).toEqual([false, true, [0, 0]]);
    expect([table.rowsAfter(0), table.rowsAfter(2)]).toEqual([[2, 3], [3]]);
    table.add({ row: 9, id: idOf(9), bits: 1, primary: 0, vector: X });
    expect([table.slots, table.slotOf(9), table.rowsAfter(0)]).toEqual([3, 0, [2, 3, 9]]);
  });

  it("copies a shared block before its first change", () => {
    const saved = tableOf("byte", [0, 1, 2]).blocks[0]!.bytes;
    const shared = new Uint8Array(new SharedArrayBuffer(saved.length));
    shared.set(saved);
    const [table, other] = [0, 1].map(() => {
      const made = createCellTable(2, "byte");
      made.load(createBlock(2, "byte", shared));
      return made;
    });
    table!.remove(2);
    table!.add({ row: 9, id: idOf(9), bits: 1, primary: 0, vector: X });
    expect([table!.rowsAfter(0), other!.rowsAfter(0)]).toEqual([
      [1, 3, 9],
      [1, 2, 3],
    ]);
    expect([...shared]).toEqual([...saved]);
  });

  it("takes over a block, and uses its free slots again", () => {
    const saved = tableOf("byte", [0, 1, 2]);
    for (const row of [2, 3]) saved.remove(row);
    const block = createBlock(2, "byte");
    block.bytes.set(saved.blocks[0]!.bytes);
    const table = createCellTable(2, "byte");
    table.load(block);
    expect([table.slots, table.size, table.rowsAfter(0), table.slotOf(3), table.slotOfId(sha("1"))]).toEqual([
      BLOCK,
      1,
      [1],
      -1,
      0,
    ]);
    expect([...table.vectorOf(0)]).toEqual([127, 0]);
    for (const row of [7, 8]) table.add({ row, id: idOf(row), bits: 0, primary: -1, vector: X });
    expect([table.slots, table.size, table.blocks.length]).toEqual([BLOCK, 3, 1]);
  });

  it("continues in the next block", () => {
    const table = createCellTable(1, "float");
    for (let row = 1; row <= BLOCK + 2; row += 1)
      table.add({ row, id: idOf(row), bits: 0, primary: -1, vector: Float32Array.of(row) });
    expect([table.blocks.length, table.slotOf(BLOCK + 2), [...table.vectorOf(BLOCK + 1)]]).toEqual([
      2,
      BLOCK + 1,
      [BLOCK + 2],
    ]);
    expect([table.idOf(BLOCK), table.rowOf(BLOCK)]).toEqual([sha(`${BLOCK + 1}`), BLOCK + 1]);
  });
});

describe("a scan", () => {
  const random = createRandom(3);
  const angles = Array.from({ length: 300 }, () => 6 * random());
  const nearness = (row: number) => Math.cos(angles[row - 1]!);
  const expected = (count: number, keep: (row: number) => boolean) =>
    angles
      .map((_, at) => at + 1)
      .filter(keep)
      .sort((a, b) => nearness(b) - nearness(a))
      .slice(0, count);

  it.each([
    ["everything", null, () => true],
    ["half of it", odd, (row: number) => row % 2 === 1],
    [
      "one in a hundred",
      (bits: number, primary: number) => bits === 7 && primary === 3,
      (row: number) => row % 100 === 5,
    ],
  ] as const)("finds the nearest that pass: %s", (_what, passes, keep) => {
    const table = createCellTable(2, "float");
    for (const [at, angle] of angles.entries()) {
      const row = at + 1;
      const isRare = row % 100 === 5;
      const vector = Float32Array.of(Math.cos(angle), Math.sin(angle));
      table.add({ row, id: idOf(row), bits: isRare && passes !== odd ? 7 : row % 2, primary: isRare ? 3 : -1, vector });
    }
    for (const count of [1, 3, 40]) {
      const { candidates, bound } = scan(table, X, count, passes);
      const wanted = expected(count, keep);
      expect(candidates.slice(0, wanted.length).map(({ slot }) => table.rowOf(slot))).toEqual(wanted);
      for (const { slot } of candidates) expect(keep(table.rowOf(slot))).toBe(true);
      // Omitted rows are worse than the bound.
      const found = new Set(candidates.map(({ slot }) => table.rowOf(slot)));
      const left = expected(300, keep).filter((row) => !found.has(row));
      expect(left.every((row) => nearness(row) <= bound + 1e-5)).toBe(true);
    }
  });

  it("finds all slots, and reports the end, if more are requested than exist", () => {
    const { candidates, bound } = scan(tableOf("float", [0, 1, 2]), X, 10, null);
    expect([candidates.length, bound]).toEqual([3, Number.NEGATIVE_INFINITY]);
  });

  it("offers no rows for an empty list", () => {
    const rows = createBestRows(3);
    offerNearest(rows, new Float32Array(0), X, 3, (at) => at);
    offerNearest(rows, X, X, 0, (at) => at);
    expect(rows.sorted()).toEqual([]);
    const view = Float32Array.of(9, 9, 0, 1, 1, 0).subarray(2);
    offerNearest(rows, view, Float32Array.of(7, 1, 0).subarray(1), 3, (at) => 10 + at);
    expect(rows.sorted()).toEqual([
      { row: 11, score: 1 },
      { row: 10, score: 0 },
    ]);
  });

  it("ranks candidates by score, then by slot", () => {
    const list = [
      { slot: 3, score: 1 },
      { slot: 1, score: 2 },
      { slot: 2, score: 1 },
    ];
    expect(best(list, 2).map(({ slot }) => slot)).toEqual([1, 2]);
  });
});

describe("the nearest cells", () => {
  const LIMITS: NearestLimits = {
    smallestPool: 4,
    roughPool: 4,
    largestPool: 100,
    filteredPool: 3,
    scannedPerCandidate: 0,
  };
  const angles = Array.from({ length: 40 }, (_, at) => 0.02 * at);

  /** A graph that returns the first rows and records how many were requested. */
  function watch(table: CellTable): { graph: Graph; asked: number[] } {
    const asked: number[] = [];
    const search: Graph["search"] = (_table, _query, count) => {
      asked.push(count);
      return Array.from({ length: Math.min(count, 40) }, (_, at) => ({
        slot: table.slotOf(at + 1),
        score: 1 - at / 100,
      }));
    };
    return { graph: { parts: [], tail: createTail(2), search }, asked };
  }
  const find = (
    precision: "float" | "byte",
    k: number,
    {
      passes = null,
      limits = LIMITS,
      isGraph = false,
    }: { passes?: typeof odd | null; limits?: NearestLimits; isGraph?: boolean } = {},
  ) => {
    const table = tableOf(precision, angles);
    const { graph, asked } = watch(table);
    const vectors = (rows: readonly number[]) =>
      rows.map((row) => (row === 2 ? null : Float32Array.of(Math.cos(angles[row - 1]!), Math.sin(angles[row - 1]!))));
    const hits = findNearest({ table, graph: isGraph ? graph : null, vectors, limits }, { vector: X, k, passes });
    const rowOf = new Map(angles.map((_, at) => [sha(`${at + 1}`), at + 1]));
    return { rows: hits.map(({ id }) => rowOf.get(id)), scores: hits.map(({ score }) => score), asked };
  };

  it("are exact while they are floats, with exact scores", () => {
    const { rows, scores } = find("float", 3);
    expect(rows).toEqual([1, 2, 3]);
    expect(scores).toEqual([0, 1, 2].map((at) => expect.closeTo(Math.cos(0.02 * at), 7)));
    expect(find("float", 3, { passes: odd }).rows).toEqual([1, 3, 5]);
    expect([find("float", 0).rows, find("float", 99).rows.length]).toEqual([[], 40]);
    expect(find("float", 3, { passes: () => false }).rows).toEqual([]);
  });

  it("have the scores of the stored vectors even if the byte scan finds them, without a cell that was just removed", () => {
    const { rows, scores } = find("byte", 3);
    expect(rows).toEqual([1, 3, 4]);
    expect(scores[1]).toBeCloseTo(Math.cos(0.04), 7);
  });

  it("come from the graph if that is faster than a scan; twice as many are requested, and more with a filter", () => {
    expect(find("byte", 1, { isGraph: true }).asked).toEqual([4]);
    expect(find("byte", 5, { isGraph: true }).asked).toEqual([10]);
    // Half of the rows pass the filter, so 2 x 5 / .5 candidates are requested.
    const filtered = find("byte", 5, { isGraph: true, passes: odd });
    expect([filtered.asked, filtered.rows]).toEqual([[20], [1, 3, 5, 7, 9]]);
    // The minimum number of passing candidates determines the number of candidates.
    expect(find("byte", 5, { isGraph: true, passes: odd, limits: { ...LIMITS, filteredPool: 15 } }).asked).toEqual([
      30,
    ]);
    expect(find("byte", 5, { isGraph: true, limits: { ...LIMITS, filteredPool: 15 } }).asked).toEqual([10]);
    expect(find("byte", 5, { isGraph: true, limits: { ...LIMITS, largestPool: 9 } }).asked).toEqual([]);
    expect(find("byte", 5, { isGraph: true, limits: { ...LIMITS, largestPool: 10 } }).asked).toEqual([10]);
    expect(find("byte", 5, { isGraph: true, limits: { ...LIMITS, scannedPerCandidate: 4 } }).asked).toEqual([10]);
    expect(find("byte", 5, { isGraph: true, limits: { ...LIMITS, scannedPerCandidate: 4.1 } }).asked).toEqual([]);
  });

  it("are fetched four times as many if too few pass", () => {
    const last = (bits: number, primary: number) => bits === 1 && primary === 0;
    const table = tableOf("byte", angles);
    for (let row = 1; row < 38; row += 2) table.remove(row);
    const asked: number[] = [];
    const search: Graph["search"] = (_table, _query, count) => {
      asked.push(count);
      return count < 1_000 ? [] : [{ slot: table.slotOf(39), score: 1 }];
    };
    const graph = { parts: [], tail: createTail(2), search };
    const vectors = (rows: readonly number[]) => rows.map(() => X);
    const limits = { ...LIMITS, largestPool: 5_000 };
    expect(findNearest({ table, graph, vectors, limits }, { vector: X, k: 1, passes: last })).toEqual([
      { id: sha("39"), score: 1 },
    ]);
    // One row in 21 passes, so at least 63 candidates are needed for 3 hits.
    expect(asked).toEqual([63, 252, 1_008]);
  });
});

describe("the tail", () => {
  it("is scanned, and grows", () => {
    const tail = createTail(2);
    for (let row = 1; row <= 600; row += 1) tail.add(row, Int8Array.of(row % 100, 100));
    expect(tail.length).toBe(600);
    expect(tail.search(Int8Array.of(99, 100), 3).map(({ row }) => row)).toEqual([99, 199, 299]);
    expect(createTail(2).search(Int8Array.of(1, 1), 3)).toEqual([]);
  });

  it("is searched with the parts of the graph; removed rows are left out", () => {
    const table = tableOf("byte", [0, 0.5, 1]);
    const tail = createTail(2);
    for (const row of [2, 3, 4]) tail.add(row, Int8Array.of(row, 100));
    const index = {
      size: () => 2,
      search: (_vector: Float32Array, count: number) => {
        expect(count).toBe(2);
        return { keys: BigUint64Array.of(1n, 9n), distances: Float32Array.of(0.25, 0.5) };
      },
    } as never;
    const found = createGraph([{ file: "f", after: 0, row: 1, index }], tail).search(table, Int8Array.of(4, 100), 5);
    expect(found.map(({ slot }) => slot)).toEqual([2, 1, 0]);
    expect(found[2]!.score).toBe(0.75);
  });
});

describe("a part of the graph", () => {
  it("is built from a range of rows, extended from another part, and sealed", () => {
    const folder = makeFolder();
    const database = new Libsql(join(folder, "cells.db"));
    onTestFinished(() => void database.close());
    database.exec("create table vectors (row integer primary key, vector blob)");
    const insert = database.prepare("insert into vectors values (?, ?)");
    const random = createRandom(4);
    const vectors = Array.from({ length: 1_200 }, () => Float32Array.of(random() - 0.5, random() - 0.5, random()));
    database.exec("begin");
    for (const [at, vector] of vectors.entries()) insert.run(at + 1, writeVector(vector));
    database.exec("commit");
    database.exec("update vectors set vector = x'00' where row = 7");
    const facts = (row: number): SnapshotFacts => ({
      format: "f",
      index: "i",
      generation: "g",
      commits: 1,
      row,
      removal: 0,
      parts: {},
    });
    const told: number[] = [];
    const build = (after: number, base: { file: string; row: number } | null, row: number, name: string) => {
      const target = join(folder, name);
      const task = { folder, database: join(folder, "cells.db"), dimensions: 3, after, base, target, threads: 1 };
      buildPart({ ...task, facts: facts(row) }, (rows) => told.push(rows));
      const sealed = openSealed(target)!;
      while (sealed.skip());
      expect([sealed.facts.row, sealed.isWhole()]).toEqual([row, true]);
      sealed.close();
      return viewPart(target, 3)!;
    };
    // Row 7 is damaged.
    expect(build(0, null, 1_100, "first").size()).toBe(1_099);
    expect(build(0, { file: "first", row: 1_100 }, 1_150, "grown").size()).toBe(1_149);
    const second = build(1_150, null, 1_200, "second");
    expect(second.size()).toBe(50);
    expect(second.search(vectors[1_170]!, 1, 1).keys[0]).toBe(1_171n);
    expect(told).toEqual([1_024, 76, 50, 50]);
  });
});

describe("work in the background", () => {
  it("runs once after a quiet period, swallows failures, and is ended by stop", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let done = 0;
    const background = createBackground(5, async () => {
      done += 1;
      throw new Error("nobody hears this");
    });
    background.later();
    background.later();
    await vi.advanceTimersByTimeAsync(40);
    expect(done).toBe(1);
    background.later();
    await background.stop();
    await vi.advanceTimersByTimeAsync(20);
    expect(done).toBe(1);
  });

  it("is asked to stop, and its end is awaited", async () => {
    let reason: unknown;
    let isOver = false;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const background = createBackground(0, async (signal) => {
      begin();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      reason = signal.reason;
      await nextTurn();
      isOver = true;
    });
    background.later();
    await begun;
    await background.stop();
    expect([isOver, String(reason)]).toEqual([true, "Error: the index is being closed"]);
  });
});

describe("locks", () => {
  it("have one holder, named in the error of the next one, and are released", () => {
    const folder = makeFolder();
    const first = takeWriterLock(folder, { pid: 12, activity: "celrec index a" });
    expect(() => takeWriterLock(folder, { pid: 13, activity: "b" })).toThrow(
      `Process 12 (celrec index a) is writing the index in ${folder}; wait until it is done.`,
    );
    const settle = takeSettleLock(folder)!;
    expect(takeSettleLock(folder)).toBeNull();
    settle.release();
    takeSettleLock(folder)!.release();
    rmSync(join(folder, "writer.json"));
    expect(() => takeWriterLock(folder, { pid: 13, activity: "b" })).toThrow(
      `Another process is writing the index in ${folder}; wait until it is done.`,
    );
    first.release();
    const second = takeWriterLock(folder, { pid: 13, activity: "b", url: "http://h:1" });
    expect(() => takeWriterLock(folder, { pid: 14, activity: "c" })).toThrow(
      "wait until it is done, or send the notebooks to it: POST http://h:1/v1/notebooks.",
    );
    second.release();
  });

  it("replace a damaged lock file, and fail without a folder", () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "settle.lock"), "garbage ".repeat(500));
    takeSettleLock(folder)!.release();
    expect(() => takeSettleLock(join(folder, "none"))).toThrow();
  });
});
