import { describe, expect, it } from "vitest";
import {
  bootstrapIntervals,
  clusterMeans,
  clusterValues,
  createRandom,
  quantile,
} from "../../src/evaluate/statistics/bootstrap.js";
import { holm, permutationTest } from "../../src/evaluate/statistics/permutation.js";

const draw = (seed: number, count: number) => {
  const random = createRandom(seed);
  return Array.from({ length: count }, random);
};

describe("createRandom", () => {
  it("gives the same numbers only for the same seed", () => {
    expect(draw(7, 5)).toEqual(draw(7, 5));
    expect(draw(7, 5)).not.toEqual(draw(8, 5));
  });

  it("is uniform on [0, 1)", () => {
    const bins = new Array<number>(10).fill(0);
    for (const value of draw(1, 100_000)) bins[Math.floor(value * 10)]! += 1;
    // Chi-square with 9 degrees of freedom; one fair generator in a thousand exceeds 27.9.
    const chi = bins.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
    expect(bins).toHaveLength(10);
    expect(chi).toBeLessThan(27.9);
  });
});

describe("clusterValues", () => {
  it("sums the values of one seed and ignores null", () => {
    const rows = [
      { id: "a", values: [1, null] },
      { id: "b", values: [0, 4] },
      { id: "a", values: [0.5, 2] },
    ];
    const clusters = clusterValues(rows);
    expect(clusters).toEqual([
      { id: "a", sums: [1.5, 2], counts: [2, 1] },
      { id: "b", sums: [0, 4], counts: [1, 1] },
    ]);
    expect(clusterMeans(clusters)).toEqual([0.5, 3]);
  });
});

describe("bootstrapIntervals", () => {
  it("gives the value itself if all values are equal", () => {
    const clusters = clusterValues(["a", "b", "c"].map((id) => ({ id, values: [0.25] })));
    expect(bootstrapIntervals(clusters)).toEqual([[0.25, 0.25]]);
  });

  it("has the theoretical width for independent values", () => {
    // 400 values of 0 or 1, half of each: the mean's standard error is .025, so the interval is .5 +- .049.
    const clusters = clusterValues(Array.from({ length: 400 }, (_, at) => ({ id: `${at}`, values: [at % 2] })));
    const [low, high] = bootstrapIntervals(clusters)[0]!;
    expect(low).toBeCloseTo(0.451, 2);
    expect(high).toBeCloseTo(0.549, 2);
  });

  it("is wider if values come in clusters, because seeds are drawn, not queries", () => {
    const width = (per: number) => {
      const rows = Array.from({ length: 400 }, (_, at) => ({
        id: `${Math.floor(at / per)}`,
        values: [Math.floor(at / per) % 2],
      }));
      const [low, high] = bootstrapIntervals(clusterValues(rows))[0]!;
      return high - low;
    };
    expect(width(4) / width(1)).toBeCloseTo(2, 0);
  });

  it("has no interval for a metric without values, and none for no clusters", () => {
    expect(bootstrapIntervals(clusterValues([{ id: "a", values: [null, 1] }]))).toEqual([null, [1, 1]]);
    expect(bootstrapIntervals([])).toEqual([]);
  });
});

describe("quantile", () => {
  it("interpolates between neighbours", () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantile([1, 2, 3, 5], share))).toEqual([1, 1.75, 2.5, 5]);
  });
});

describe("permutationTest", () => {
  it("is exact for few pairs", () => {
    // Only two of the 2^5 sign patterns are as extreme: all plus and all minus.
    expect(permutationTest([1, 2, 3, 4, 5])).toBe(2 / 32);
    expect(permutationTest([1, 1, -1])).toBe(1);
    expect(permutationTest([0.1, 0.2, 0.3])).toBe(2 / 8);
  });

  it("is 1 without any difference, and ignores pairs without a difference", () => {
    expect(permutationTest([])).toBe(1);
    expect(permutationTest([0, 0])).toBe(1);
    expect(permutationTest([1, 2, 3, 4, 5, 0, 0])).toBe(2 / 32);
  });

  it("is never 0, and deterministic", () => {
    const clear = Array.from({ length: 100 }, () => 1);
    expect(permutationTest(clear)).toBe(1 / 10_001);
    const noise = draw(3, 100).map((value) => value - 0.5);
    expect(permutationTest(noise)).toBe(permutationTest(noise));
  });

  it("has 5 % false positives", () => {
    const random = createRandom(11);
    let found = 0;
    for (let test = 0; test < 400; test += 1) {
      const noise = Array.from({ length: 40 }, () => random() - 0.5);
      if (permutationTest(noise, { rounds: 500 }) < 0.05) found += 1;
    }
    expect(found / 400).toBeGreaterThan(0.02);
    expect(found / 400).toBeLessThan(0.08);
  });
});

describe("holm", () => {
  it("steps down from the smallest p and never falls", () => {
    // Holm multiplies the sorted values: .01 * 3, .02 * 2, .04 * 1. The last must not be below .04.
    const [a, b, c] = holm([0.04, 0.01, 0.02]) as [number, number, number];
    expect([a, b, c]).toEqual([0.04, 0.03, 0.04]);
    expect(holm([0.6, 0.5])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});
