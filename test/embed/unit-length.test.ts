import { describe, expect, it } from "vitest";
import { toUnitLength } from "../../src/embed/unit-length.js";

describe("toUnitLength", () => {
  it("keeps the direction and makes the length 1", () => {
    expect(toUnitLength(Float64Array.of(3, 0, -4))).toEqual(Float32Array.of(0.6, 0, -0.8));
  });

  it.each([[Number.NaN], [0], [Number.POSITIVE_INFINITY]])("gives nothing for %s", (value) => {
    expect(toUnitLength(Float64Array.of(value))).toBeNull();
  });
});
