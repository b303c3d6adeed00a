import { describe, expect, it } from "vitest";
import { dot, toUnitLength } from "../../src/embed/embedder.js";

describe("toUnitLength", () => {
  it("keeps the direction and makes the length 1", () => {
    expect(toUnitLength(Float64Array.of(3, 0, -4))).toEqual(Float32Array.of(0.6, 0, -0.8));
  });

  it.each([[Number.NaN], [0], [Number.POSITIVE_INFINITY]])("returns null for a vector of %s", (value) => {
    expect(toUnitLength(Float64Array.of(value))).toBeNull();
  });
});

describe("dot", () => {
  it("sums the products", () => {
    expect(dot(Float32Array.of(1, 2, -3), Float32Array.of(4, 0.5, 2))).toBe(-1);
  });

  it("is 0 if a vector is missing", () => {
    const vector = Float32Array.of(1, 0);
    expect([dot(null, vector), dot(vector, null), dot(undefined, vector)]).toEqual([0, 0, 0]);
  });
});
