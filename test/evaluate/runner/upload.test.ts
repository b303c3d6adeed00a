import { describe, expect, it } from "vitest";
import { uploadAll } from "../../../src/evaluate/runner/ask-target.js";
import type { Target } from "../../../src/evaluate/target.js";

const notebook = (name: string, cells: number) => ({
  name,
  notebook: { cells: Array.from({ length: cells }, (_, index) => ({ index, type: "code" as const, source: "x" })) },
});

/** A target that records the batches and aborts after a given number. */
function createTarget(): Pick<Target, "add"> & { batches: string[][] } {
  const batches: string[][] = [];
  return { batches, add: async (notebooks) => void batches.push(notebooks.map(({ name }) => name)) };
}

describe("uploadAll", () => {
  it("sends a batch at a thousand cells, and reports progress", async () => {
    const target = createTarget();
    const done: number[] = [];
    const notebooks = [notebook("a", 999), notebook("b", 1), notebook("c", 1_000), notebook("d", 1)];
    await uploadAll(target, notebooks, new AbortController().signal, (count) => done.push(count));
    expect(target.batches).toEqual([["a", "b"], ["c"], ["d"]]);
    expect(done).toEqual([2, 3, 4]);
  });

  it("stops between two batches", async () => {
    const target = createTarget();
    const stop = new AbortController();
    const notebooks = [notebook("a", 1_000), notebook("b", 1_000)];
    await uploadAll(target, notebooks, stop.signal, () => stop.abort());
    expect(target.batches).toEqual([["a"]]);
  });
});
