import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packArrays, unpackArrays, writeArrays } from "../../src/complete/arrays-file.js";

describe("a file of arrays", () => {
  const bytes = packArrays({ a: 1 }, { x: Int32Array.of(1, -2), y: Uint8Array.of(3), z: Float32Array.of(0.5) });

  it("returns what was packed", () => {
    const { facts, arrays } = unpackArrays(bytes, "file");
    expect(facts).toEqual({ a: 1 });
    expect([...arrays].map(([name, array]) => [name, ...array])).toEqual([
      ["x", 1, -2],
      ["y", 3],
      ["z", 0.5],
    ]);
  });

  it("is written as it is packed", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "celrec-arrays-")), "arrays.bin");
    await writeArrays(file, { a: 1 }, { x: Int32Array.of(1, -2), y: Uint8Array.of(3), z: Float32Array.of(0.5) });
    expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
  });

  it("refuses a byte that changed", () => {
    const damaged = Uint8Array.from(bytes);
    damaged[damaged.length - 8]! ^= 1;
    expect(() => unpackArrays(damaged, "file")).toThrow("file cannot be used: its checksum is wrong.");
  });

  it("refuses a file that was cut", () => {
    expect(() => unpackArrays(bytes.slice(0, 10), "file")).toThrow("file cannot be used: it has 10 bytes.");
  });
});
