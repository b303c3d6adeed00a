import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { cosine } from "../../../src/embed/embedder.js";
import { RecommenderError } from "../../../src/errors.js";
import { createBestRows } from "../../../src/store/best-rows.js";
import { blockSize, createBlock, createIdIndex, quantize } from "../../../src/store/embedded/cell-table.js";
import { inTransaction } from "../../../src/store/embedded/database.js";
import { damaged, explain, readJson, withDiskErrors } from "../../../src/store/embedded/disk-errors.js";
import { viewPart } from "../../../src/store/embedded/graph.js";
import { createLabelCodec, createLabelTally } from "../../../src/store/embedded/label-bits.js";
import { createVectorCache } from "../../../src/store/embedded/searches.js";
import {
  createSealedWriter,
  openSealed,
  SLICE,
  type SnapshotFacts,
  seal,
} from "../../../src/store/embedded/snapshots.js";
import { createRowSlots } from "../../../src/store/row-slots.js";
import { append, createPostings, isDense, startsOf } from "../../../src/store/segment.js";
import { checksum, isId, readVector, toBytes, toKey, writeVector } from "../../../src/store/stored-bytes.js";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "celrec-parts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("a part of the graph", () => {
  it("is null if its file does not exist", () => {
    expect(viewPart(join(makeFolder(), "graph"), 4)).toBeNull();
  });
});

describe("the best rows", () => {
  const best = (k: number, offers: readonly (readonly [number, number])[]) => {
    const rows = createBestRows(k);
    for (const [row, score] of offers) rows.offer(row, score);
    return rows;
  };

  it("are kept in any order of insertion, ties by the smaller row", () => {
    const offers = [4, 9, 1, 7, 3, 8, 2, 6, 5, 0].map((row) => [row, row % 5] as const);
    const sorted = best(6, offers).sorted();
    expect(sorted.map(({ row, score }) => [row, score])).toEqual([
      [4, 4],
      [9, 4],
      [3, 3],
      [8, 3],
      [2, 2],
      [7, 2],
    ]);
    expect(best(6, offers.toReversed()).sorted()).toEqual(sorted);
    expect(
      best(
        6,
        offers.toSorted(([a], [b]) => a - b),
      ).sorted(),
    ).toEqual(sorted);
  });

  it("define the minimum score of the next row", () => {
    expect(best(2, [[1, 5]]).worst).toBe(Number.NEGATIVE_INFINITY);
    expect(
      best(2, [
        [1, 5],
        [2, 3],
        [3, 4],
      ]).worst,
    ).toBe(4);
    expect(best(0, [[1, 5]]).worst).toBe(Number.POSITIVE_INFINITY);
    expect(best(0, [[1, 5]]).sorted()).toEqual([]);
  });
});

describe("row slots", () => {
  it("map a row on any page to a number, until it is deleted", () => {
    const slots = createRowSlots();
    for (const row of [0, 1, 4_095, 4_096, 50_000]) slots.set(row, row + 7);
    slots.set(1, 0);
    expect([0, 1, 2, 4_095, 4_096, 50_000, 90_000].map(slots.get)).toEqual([7, 0, -1, 4_102, 4_103, 50_007, -1]);
    slots.delete(0);
    slots.delete(0);
    slots.delete(2);
    slots.delete(90_000);
    expect([slots.get(0), slots.get(1)]).toEqual([-1, 0]);
    slots.delete(1);
    expect(slots.get(4_095)).toBe(4_102);
    slots.delete(4_095);
    slots.set(3, 1);
    expect([slots.get(3), slots.get(4_095)]).toEqual([1, -1]);
    slots.clear();
    expect([slots.get(3), slots.get(4_096)]).toEqual([-1, -1]);
  });
});

describe("postings", () => {
  it("grow at their end, count to 255, and know the largest count", () => {
    const postings = createPostings();
    for (const [doc, count] of [
      [2, 1],
      [5, 300],
      [9, 3],
    ] as const)
      append(postings, doc, count);
    expect([postings.length, Math.max(...postings.counts)]).toEqual([3, 255]);
    expect([...postings.docs.subarray(0, 3)]).toEqual([2, 5, 9]);
    expect([...postings.counts.subarray(0, 3)]).toEqual([1, 255, 3]);
  });

  it("are dense if a fifth of the documents hold the word", () => {
    expect([isDense(2, 10), isDense(3, 10)]).toEqual([false, true]);
    expect([...startsOf(Uint32Array.of(2, 3, 1), 10)]).toEqual([0, 2, 2, 3]);
  });
});

describe("vectors", () => {
  it("are compared by their cosine, within its bounds", () => {
    const of = (...values: number[]) => Float32Array.from(values);
    expect(cosine(of(3, 4), of(4, 3))).toBeCloseTo(0.96, 6);
    expect([cosine(of(1, 0), of(-2, 0)), cosine(of(2, 0), of(3, 0)), cosine(of(0, 0), of(1, 0))]).toEqual([-1, 1, 0]);
    expect(cosine(of(1, 0), of(0, 0))).toBe(0);
    const third = of(1 / 3, 1 / 7, 1 / 11);
    expect(cosine(third, third)).toBeLessThanOrEqual(1);
    expect(
      cosine(
        third,
        third.map((value) => -value),
      ),
    ).toBeGreaterThanOrEqual(-1);
  });

  it("are quantized to bytes with a maximum of 127", () => {
    const bytes = (...values: number[]) => {
      const into = new Int8Array(values.length).fill(9);
      quantize(Float32Array.from(values), into);
      return [...into];
    };
    expect(bytes(0.5, -1, 0.25, 0)).toEqual([64, -127, 32, 0]);
    expect(bytes(2, 1)).toEqual([127, 64]);
    expect(bytes(0, 0)).toEqual([0, 0]);
    expect(bytes(Number.POSITIVE_INFINITY, 1)).toEqual([0, 0]);
  });

  it("are stored with a checksum, and other bytes are rejected", () => {
    const view = Float32Array.of(9, 1.5, -2, 9).subarray(1, 3);
    const blob = writeVector(view);
    expect(blob.length).toBe(12);
    expect(readVector(blob, 2)).toEqual(Float32Array.of(1.5, -2));
    expect([readVector(blob, 1), readVector(blob.subarray(1), 2), readVector("text", 2), readVector(null, 2)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    for (let at = 0; at < blob.length; at += 1) {
      const other = Buffer.from(blob);
      other[at]! ^= 4;
      expect(readVector(other, 2)).toBeNull();
    }
  });

  it("are cached up to a number of bytes, least recently used first out", () => {
    const cache = createVectorCache(24);
    const asked: number[][] = [];
    const read = (rows: readonly number[]) => {
      asked.push([...rows]);
      return rows.map((row) => (row === 99 ? null : Float32Array.of(row, 0)));
    };
    const firsts = (rows: readonly number[]) => cache.through(rows, read).map((vector) => vector?.[0] ?? null);
    expect(firsts([1, 2, 99])).toEqual([1, 2, null]);
    expect(firsts([2, 1])).toEqual([2, 1]);
    expect(firsts([3, 4])).toEqual([3, 4]);
    // 2 is the least recently used.
    expect(firsts([1, 3, 4])).toEqual([1, 3, 4]);
    expect(firsts([2, 1])).toEqual([2, 1]);
    cache.clear();
    expect(firsts([1])).toEqual([1]);
    expect(asked).toEqual([[1, 2, 99], [3, 4], [2], [1]]);
    expect(firsts([5, 6, 7, 8])).toEqual([5, 6, 7, 8]);
    expect(firsts([6, 7, 8])).toEqual([6, 7, 8]);
    expect(asked.length).toBe(5);
  });

  it("are at the start of a block, column by column", () => {
    const block = createBlock(3, "byte");
    expect([block.bytes.length, blockSize(3, "byte"), blockSize(3, "float")]).toEqual([180_224, 180_224, 217_088]);
    block.rows.fill(1);
    block.labels.fill(2);
    block.ids.fill(3);
    block.primaries.fill(4);
    expect([...new Set(block.vectors)]).toEqual([0]);
    expect([block.vectors.byteOffset, block.vectors.length]).toEqual([0, 12_288]);
    expect([block.rows[4_095], block.labels[0], block.labels[4_095], block.ids[0], block.ids.at(-1)]).toEqual([
      1, 2, 2, 3, 3,
    ]);
    expect([block.primaries[0], block.bytes.at(-1)]).toEqual([4, 4]);
  });
});

describe("ids", () => {
  it("are 64 hex digits, and nothing else", () => {
    const id = "0123456789abcdef".repeat(4);
    expect([isId(id), isId(`${id}0`), isId(id.slice(1)), isId(id.toUpperCase()), isId(`x${id.slice(1)}`)]).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect([toBytes(id)?.toString("hex"), toBytes("x")]).toEqual([id, null]);
    expect(toKey(id).length).toBe(32);
    expect(() => toKey("x")).toThrow('"x" is not a hex sha-256');
  });

  it("are found by their slot after collisions, growth and removals", () => {
    // Ids with few different hashes, so that all collide.
    const bytes = Array.from({ length: 1_500 }, (_, slot) =>
      Buffer.concat([Buffer.of(slot % 3, 4 * (slot % 2), 0, 0, slot & 255, slot >> 8, 0xaf), Buffer.alloc(25, slot)]),
    );
    const ids = bytes.map((id) => id.toString("hex"));
    const index = createIdIndex(
      (slot) => bytes[slot]!,
      () => 0,
    );
    for (let slot = 0; slot < 60; slot += 1) index.add(slot);
    for (let slot = 0; slot < 60; slot += 3) index.remove(slot);
    index.remove(0);
    expect(ids.slice(0, 61).map(index.find)).toEqual(
      Array.from({ length: 61 }, (_, slot) => (slot % 3 === 0 || slot === 60 ? -1 : slot)),
    );
    for (let slot = 60; slot < 1_500; slot += 1) index.add(slot);
    expect(ids.slice(60).map(index.find)).toEqual(Array.from({ length: 1_440 }, (_, at) => 60 + at));
    const [known] = ids as [string];
    expect(["", known.slice(2), `${known}00`, known.toUpperCase(), known.replace("af", "ag")].map(index.find)).toEqual([
      -1, -1, -1, -1, -1,
    ]);
  });

  it("have a checksum, with their metadata, that changes with every byte and number", () => {
    const base = checksum(Uint8Array.of(1, 2), 3, 4);
    const others = [
      checksum(Uint8Array.of(1, 3), 3, 4),
      checksum(Uint8Array.of(2, 2), 3, 4),
      checksum(Uint8Array.of(1, 2), 3, 5),
      checksum(Uint8Array.of(1, 2), 4, 4),
      checksum(Uint8Array.of(1, 2)),
      checksum(Uint8Array.of()),
    ];
    expect(new Set([base, ...others]).size).toBe(7);
    // FNV-1a of "a".
    expect(checksum(Buffer.from("a"))).toBe(0xe40c292c);
  });
});

describe("labels", () => {
  const codec = createLabelCodec(["load", "plot", "train"]);

  it("are bits in the order of the set; unknown ones are left out", () => {
    expect(codec.encode(["train", "load", "fly"], "train")).toEqual({ bits: 5, primary: 2 });
    expect(codec.encode([], null)).toEqual({ bits: 0, primary: -1 });
    expect(codec.decode({ bits: 6, primary: 1 })).toEqual({ labels: ["plot", "train"], primary: "plot" });
    expect(codec.decode({ bits: 0, primary: -1 })).toEqual({ labels: [], primary: null });
  });

  it("pass a filter by any label, by the primary one, or without any", () => {
    const passing = (field: "labels" | "primary", any: string[], unlabelled: boolean) => {
      const passes = codec.compile({ field, any, unlabelled })!;
      const cells = [
        [0, -1],
        [1, 0],
        [3, 1],
        [4, 2],
        [1, -1],
      ] as const;
      return cells.map(([bits, primary]) => passes(bits, primary));
    };
    expect(codec.compile(undefined)).toBeNull();
    expect(passing("labels", ["load", "fly"], false)).toEqual([false, true, true, false, true]);
    expect(passing("labels", ["train"], true)).toEqual([true, false, false, true, false]);
    expect(passing("primary", ["load"], false)).toEqual([false, true, false, false, false]);
    expect(passing("primary", ["plot", "train"], true)).toEqual([true, false, true, true, false]);
  });

  it("are counted by their combinations", () => {
    const tally = createLabelTally();
    tally.change(1, 0, 1);
    tally.change(1, -1, 1);
    tally.change(1, 0, 2);
    tally.change(0, 30, 5);
    tally.change(1, 0, -1);
    expect(tally.count((bits) => bits === 1)).toBe(3);
    expect(tally.count((_bits, primary) => primary === 0)).toBe(2);
    expect(tally.count(() => true)).toBe(8);
  });
});

describe("a sealed file", () => {
  const facts: SnapshotFacts = {
    format: "f",
    index: "i",
    generation: "g",
    commits: 3,
    row: 4,
    removal: 5,
    parts: { length: 6 },
  };
  const content = Buffer.from("the content of a derived file");
  const write = (path: string, ...slices: Buffer[]) => {
    const writer = createSealedWriter(path);
    for (const slice of slices) writer.write(slice);
    writer.finish(facts);
  };
  const readAll = (path: string, length = content.length) => {
    const sealed = openSealed(path);
    if (sealed === null) return null;
    const into = Buffer.alloc(length);
    const isFull = sealed.read(into);
    const isWhole = sealed.isWhole();
    sealed.close();
    return { text: into.toString(), isFull, isWhole, facts: sealed.facts, length: sealed.length };
  };

  it("returns what was written, in slices or by other code, and the facts", () => {
    const [own, others] = [join(makeFolder(), "own"), join(makeFolder(), "others")];
    write(own, content.subarray(0, 7), content.subarray(7));
    writeFileSync(others, content);
    seal(others, facts);
    expect(readFileSync(others)).toEqual(readFileSync(own));
    const expected = { text: content.toString(), isFull: true, isWhole: true, facts, length: content.length };
    expect([readAll(own), readAll(others)]).toEqual([expected, expected]);
  });

  it("is whole only if all of it was read or skipped", () => {
    const path = join(makeFolder(), "file");
    const large = Buffer.alloc(SLICE + 10, 7);
    write(path, large);
    expect(readAll(path, 5)).toMatchObject({ isFull: true, isWhole: false });
    expect(readAll(path, large.length + 1)).toMatchObject({ isFull: false });
    const sealed = openSealed(path)!;
    expect([sealed.skip(), sealed.skip(), sealed.skip(), sealed.isWhole()]).toEqual([true, true, false, true]);
    sealed.close();
    expect(readAll(path, large.length)).toMatchObject({ isFull: true, isWhole: true });
  });

  it("is recognised as damaged, wherever the damage is", () => {
    const path = join(makeFolder(), "file");
    write(path, content);
    const good = readFileSync(path);
    for (let at = 0; at < good.length; at += 1) {
      const bad = Buffer.from(good);
      bad[at]! ^= 1;
      writeFileSync(path, bad);
      expect([at, readAll(path)?.isWhole ?? false]).toEqual([at, false]);
    }
    for (const size of [0, 10, 35, 36, good.length - 1]) {
      writeFileSync(path, good);
      truncateSync(path, size);
      expect([size, readAll(path)?.isWhole ?? false]).toEqual([size, false]);
    }
    expect(openSealed(join(makeFolder(), "none"))).toBeNull();
  });
});

describe("disk errors", () => {
  const codeOf = (message: string, code?: string) => {
    const error = Object.assign(new Error(message), code === undefined ? {} : { code });
    const told = explain("/i", error);
    return told instanceof RecommenderError ? [told.code, told.message, told.cause === error] : told === error;
  };

  it("are explained; bugs are passed on unchanged", () => {
    const damage =
      "is damaged; run celrec doctor --repair to recover the readable part, restore a copy, or delete the folder and index the notebooks again";
    const closed = "cannot be opened or written; check that the folder exists and that you own it";
    const full = "cannot grow: the disk is full; make room and repeat the command";
    expect(codeOf("x", "SQLITE_FULL")).toEqual(["DISK_FULL", `The index in /i ${full} (x)`, true]);
    expect(codeOf("ENOSPC: no space")).toEqual(["DISK_FULL", `The index in /i ${full} (ENOSPC: no space)`, true]);
    expect(codeOf("database is locked")).toEqual([
      "INDEX_LOCKED",
      "The index in /i is locked by another process; try again when that process is done (database is locked)",
      true,
    ]);
    for (const message of ["SQLITE_NOTADB", "SQLITE_CORRUPT", "malformed", "no such table: x", "no such column: y"])
      expect(codeOf(message)).toEqual(["STORE_UNAVAILABLE", `The index in /i ${damage} (${message})`, true]);
    for (const code of ["SQLITE_CANTOPEN", "SQLITE_READONLY", "EACCES", "EROFS", "ENOTDIR", "ENOENT"])
      expect(codeOf("y", code)).toEqual(["STORE_UNAVAILABLE", `The index in /i ${closed} (y)`, true]);
    expect(codeOf("x is not a function")).toBe(true);
    expect(explain("/i", "text")).toBe("text");
    const ours = new RecommenderError("NOT_FOUND", "no such table");
    expect(explain("/i", ours)).toBe(ours);
    expect(() => withDiskErrors("/i", () => readFileSync("/none/none"))).toThrow(`The index in /i ${closed}`);
    expect(withDiskErrors("/i", () => 3)).toBe(3);
  });

  it("reports corrupt records", () => {
    const recover =
      "Run celrec doctor --repair to recover the readable part, restore a copy, or delete the folder and index the notebooks again.";
    expect(damaged("/i", "a row is gone").message).toBe(`The index in /i is damaged: a row is gone. ${recover}`);
    expect(readJson("/i", Buffer.from('{"a":1}'), "a")).toEqual({ a: 1 });
    for (const bytes of [Buffer.from("{"), null])
      expect(() => readJson("/i", bytes, "the name")).toThrow(
        `The index in /i is damaged: the name cannot be read. ${recover}`,
      );
  });
});

describe("a transaction", () => {
  it("does all or nothing, and throws the first error", () => {
    const database = new Libsql(":memory:");
    onTestFinished(() => void database.close());
    database.exec("create table t (x integer)");
    const insert = (value: number) => database.exec(`insert into t values (${value})`);
    expect(
      inTransaction(database, () => {
        insert(1);
        return "done";
      }),
    ).toBe("done");
    const fail = () => {
      insert(2);
      throw new Error("the first");
    };
    expect(() => inTransaction(database, fail)).toThrow("the first");
    expect(() =>
      inTransaction(database, () => {
        database.exec("rollback");
        throw new Error("rolled back by itself");
      }),
    ).toThrow("rolled back by itself");
    expect(database.prepare("select x from t").raw().all()).toEqual([[1]]);
    expect(database.inTransaction).toBe(false);
  });
});
