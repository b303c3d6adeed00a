import { describe, expect, it } from "vitest";
import { dot } from "../../src/embed/dot.js";

describe("dot", () => {
  it("sums the products", () => {
    expect(dot(Float32Array.of(1, 2, -3), Float32Array.of(4, 0.5, 2))).toBe(-1);
  });

  it("is 0 where a vector is missing", () => {
    const vector = Float32Array.of(1, 0);
    expect([dot(null, vector), dot(vector, null), dot(undefined, vector)]).toEqual([0, 0, 0]);
  });
});
