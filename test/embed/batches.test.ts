import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatches } from "../../src/embed/batches.js";

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
