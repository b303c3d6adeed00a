import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addWindow, planBatches, splitWindows } from "../../src/embed/embed-texts.js";

describe("planBatches", () => {
  it.each([
    { title: "nothing", lengths: [], rows: 9, tokens: 9, batches: [] },
    { title: "equal lengths in input order", lengths: [2, 2, 2], rows: 9, tokens: 6, batches: [[0, 1, 2]] },
    {
      title: "the longest first",
      lengths: [1, 9, 2, 8],
      rows: 9,
      tokens: 18,
      batches: [
        [1, 3],
        [2, 0],
      ],
    },
    { title: "a row over the limit alone", lengths: [1, 50], rows: 9, tokens: 10, batches: [[1], [0]] },
    { title: "no more rows than allowed", lengths: [3, 3, 3], rows: 1, tokens: 100, batches: [[0], [1], [2]] },
  ])("plans $title", ({ lengths, rows, tokens, batches }) => {
    expect(planBatches(lengths, { rows, tokens })).toEqual(batches);
  });

  it("puts every row into exactly one batch and keeps to the limits", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 64 })), fc.integer({ min: 1, max: 8 }), (lengths, rows) => {
        const batches = planBatches(lengths, { rows, tokens: 64 });
        expect(batches.flat().sort((a, b) => a - b)).toEqual(lengths.map((_, position) => position));
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(rows);
          expect(batch.length * Math.max(...batch.map((position) => lengths[position]!))).toBeLessThanOrEqual(64);
        }
      }),
    );
  });
});

describe("splitWindows", () => {
  it.each([
    { title: "no tokens", ids: [], size: 3, windows: [] },
    { title: "fewer than fit", ids: [1, 2], size: 3, windows: [[1, 2]] },
    { title: "exactly one window", ids: [1, 2, 3], size: 3, windows: [[1, 2, 3]] },
    { title: "one more", ids: [1, 2, 3, 4], size: 3, windows: [[1, 2, 3], [4]] },
  ])("cuts $title", ({ ids, size, windows }) => {
    expect(splitWindows(ids, size)).toEqual(windows);
  });
});

describe("addWindow", () => {
  // Two rows of three tokens with two numbers each; the last token of the second row is padding.
  const states = { data: Float32Array.of(1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 99, 99), tokensPerRow: 3 };

  it.each([
    { pooling: "mean", row: 0, count: 3, sum: [9, 12] },
    { pooling: "mean", row: 1, count: 2, sum: [40, 60] },
    { pooling: "cls", row: 0, count: 3, sum: [3, 6] },
    { pooling: "cls", row: 1, count: 2, sum: [20, 40] },
  ] as const)("adds the $pooling of row $row times its $count tokens", ({ pooling, row, count, sum }) => {
    const total = new Float64Array(2);
    addWindow(total, states, row, count, pooling);
    expect([...total]).toEqual(sum);
  });
});
