import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packArrays, readArrays, unpackArrays, writeArrays } from "../../src/complete/arrays-file.js";

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

  it("is read in parts as it is unpacked", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "celrec-arrays-")), "arrays.bin");
    writeFileSync(file, bytes);
    expect(await readArrays(file)).toEqual(unpackArrays(bytes, file));
  });

  it.each([
    ["a changed header", (damaged: Uint8Array) => (damaged[40]! ^= 1)],
    ["a changed array", (damaged: Uint8Array) => (damaged[damaged.length - 8]! ^= 1)],
    ["a changed checksum", (damaged: Uint8Array) => (damaged[0]! ^= 1)],
  ])("is refused in parts with %s", async (_, damage) => {
    const file = join(mkdtempSync(join(tmpdir(), "celrec-arrays-")), "arrays.bin");
    const damaged = Uint8Array.from(bytes);
    damage(damaged);
    writeFileSync(file, damaged);
    await expect(readArrays(file)).rejects.toThrow("its checksum is wrong");
  });

  it("is refused in parts at every length it was cut to", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "celrec-arrays-")), "arrays.bin");
    for (let length = 0; length < bytes.length; length += 7) {
      writeFileSync(file, bytes.subarray(0, length));
      await expect(readArrays(file)).rejects.toThrow("cannot be used");
    }
  });
});
