import { describe, expect, it } from "vitest";
import { dot, fitConfidence, fitWeights, minimize } from "../../../src/recommend/fit/fit-weights.js";

const row = (...values: number[]) => Float64Array.of(...values);

describe("minimize", () => {
  it("finds the minimum, or the nearest point within the bounds", () => {
    const slope = (values: Float64Array, into: Float64Array) => {
      into[0] = 2 * (values[0]! - 3);
      into[1] = 2 * (values[1]! + 1);
    };
    const hold = (values: Float64Array) => {
      values[1] = Math.max(0, values[1]!);
    };
    const [free, bound] = minimize(row(0, 2), slope, hold, { steps: 500, rate: 0.1 });
    expect(free).toBeCloseTo(3, 2);
    expect(bound).toBe(0);
  });
});

describe("fitWeights", () => {
  // The first feature equals the gain of a candidate, the second its negative.
  const list = {
    rows: [row(1, 0), row(0, 1), row(0.5, 0.5)],
    worth: row(0.9, 0.1, 0.5),
  };

  it("puts the best candidate of a list first", () => {
    const weights = fitWeights(Array(50).fill(list), row(0, 1), [0, 0]);
    const scores = list.rows.map((each) => dot(each, weights));
    expect([...scores].sort((a, b) => b - a)).toEqual([scores[0], scores[2], scores[1]]);
  });

  it("never gives a feature the sign that it may not have", () => {
    expect(fitWeights(Array(50).fill(list), row(1, 1), [-1, 1])).toEqual(row(0, 0));
  });

  it("leaves the weights unchanged if all candidates have the same gain", () => {
    const flat = { ...list, worth: row(0.5, 0.5, 0.5) };
    expect(fitWeights([flat, { rows: [row(1, 0)], worth: row(1) }], row(2, 3), [1, 1])).toEqual(row(2, 3));
    expect(fitWeights([], row(2, 3), [1, 1])).toEqual(row(2, 3));
  });
});

describe("fitConfidence", () => {
  it("converges to the share of useful hits if no feature separates them", () => {
    const hits = Array.from({ length: 400 }, (_, at) => ({ row: row(0), useful: at % 4 === 0 }));
    const { bias, weights } = fitConfidence(hits, { bias: -1, weights: row(0) }, [1]);
    expect(1 / (1 + Math.exp(-bias))).toBeCloseTo(0.25, 2);
    expect(weights).toEqual(row(0));
  });

  it("stays unchanged without hits", () => {
    const start = { bias: -2, weights: row(1) };
    expect(fitConfidence([], start, [1])).toEqual(start);
  });
});
