import { describe, expect, it } from "vitest";
import { createBoost, type Trees } from "../../src/recommend/trees.js";

/**
 * Two trees. The first: a <= 1 gives .5, else b <= 0 gives -1, else 1. The second: a gap of at most 2 gives .25, else -.25.
 */
const TREES: Trees = {
  inputs: ["b", "a", "gap"],
  roots: [0, 5],
  feature: [1, -1, 0, -1, -1, 2, -1, -1],
  threshold: [1, 0, 0, 0, 0, 2, 0, 0],
  left: [1, -1, 3, -1, -1, 6, -1, -1],
  right: [2, -1, 4, -1, -1, 7, -1, -1],
  value: [0.2, 0.5, -0.1, -1, 1, 0, 0.25, -0.25],
};
const boost = createBoost(TREES, ["a", "other", "b"]);
const row = (a: number, b: number) => Float64Array.of(a, 9, b);

describe("trees", () => {
  it("add their leaves to linear scores; the gap is the distance from the best of them", () => {
    const scores = boost.add([row(1, 5), row(2, 0), row(2, 1)], Float64Array.of(3, 5, 2));
    // The gaps are 2, 0 and 3.
    expect([...scores]).toEqual([3 + 0.5 + 0.25, 5 - 1 + 0.25, 2 + 1 - 0.25]);
    expect(boost.add([], Float64Array.of())).toEqual(Float64Array.of());
  });

  it("sum the change of each feature along the path, without the bias", () => {
    const [a, other, b] = boost.explain(row(2, 1), 0);
    // The first split changes the value from .2 to -.1, the second from -.1 to 1.
    expect([a, other, b]).toEqual([expect.closeTo(-0.3, 12), 0, expect.closeTo(1.1, 12)]);
    expect([...boost.explain(row(0, 1), 0)]).toEqual([expect.closeTo(0.3, 12), 0, 0]);
  });

  it("are rejected if they use an unknown feature", () => {
    expect(() => createBoost(TREES, ["a"])).toThrow("Trees look at b, which is not a feature.");
  });
});
