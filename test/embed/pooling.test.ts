import { describe, expect, it } from "vitest";
import { addWindow } from "../../src/embed/pooling.js";

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
