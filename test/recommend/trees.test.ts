import { describe, expect, it } from "vitest";
import { createTreeScore } from "../../src/recommend/trees.js";

const TREES = {
  features: ["a", "b"],
  trees: [
    { nodes: [], leaves: [0.5] },
    {
      // b <= 1 ? -1 : (a <= 0.25 ? 2 : 3)
      nodes: [
        [1, 1, -1, 1],
        [0, 0.25, -2, -3],
      ] as [number, number, number, number][],
      leaves: [-1, 2, 3],
    },
    { nodes: [[0, 0, -1, -2]] as [number, number, number, number][], leaves: [10, 20] },
  ],
};

describe("createTreeScore", () => {
  it.each([
    [{ a: 0, b: 1 }, 0.5 - 1 + 10],
    [{ a: 0.25, b: 2 }, 0.5 + 2 + 20],
    [{ a: 0.3, b: 2 }, 0.5 + 3 + 20],
    [{ a: -1, b: 1.5 }, 0.5 + 2 + 10],
  ])("adds up the leaves that %j comes to", ({ a, b }, sum) => {
    expect(createTreeScore(TREES, ["a", "b"])(Float64Array.of(a, b))).toBe(sum);
  });

  it("finds its features in rows of another order", () => {
    const score = createTreeScore(TREES, ["x", "b", "a"]);
    expect(score(Float64Array.of(9, 2, 0.3))).toBe(23.5);
  });

  it("is 0 without trees", () => {
    expect(createTreeScore({ features: [], trees: [] }, ["a"])(Float64Array.of(1))).toBe(0);
  });
});
