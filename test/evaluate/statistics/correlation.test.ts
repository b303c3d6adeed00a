import { describe, expect, it } from "vitest";
import { pearson, spearman } from "../../../src/evaluate/statistics/correlation.js";

const pairs = (xs: readonly number[], ys: readonly number[]) =>
  xs.map((x, at) => ({ cluster: `c${at}`, x, y: ys[at]! }));

describe("pearson", () => {
  it("is 1 on a rising line and -1 on a falling one in every resample", () => {
    expect(pearson(pairs([1, 2, 3, 4], [3, 5, 7, 9])).value).toBeCloseTo(1, 12);
    const falling = pearson(pairs([1, 2, 3, 4], [9, 7, 5, 3]));
    expect(falling.value).toBeCloseTo(-1, 12);
    expect(falling.interval!.map((end) => Math.round(end * 1e9) / 1e9)).toEqual([-1, -1]);
  });

  it("agrees with a case worked out by hand", () => {
    // x - mean: -2 -1 0 1 2, y - mean: -1 1 -2 2 0; sum of products 3, of squares 10 and 10.
    expect(pearson(pairs([1, 2, 3, 4, 5], [2, 4, 1, 5, 3])).value).toBeCloseTo(0.3, 12);
  });

  it("is null if one variable is constant or there are no values", () => {
    expect(pearson(pairs([1, 2, 3], [0.3, 0.3, 0.3]))).toEqual({ value: null, interval: null });
    expect(pearson([])).toEqual({ value: null, interval: null });
  });

  it("has no interval for a single cluster", () => {
    const one = pairs([1, 2, 3], [1, 3, 2]).map((pair) => ({ ...pair, cluster: "same" }));
    expect(pearson(one).interval).toBeNull();
    expect(pearson(one).value).toBeCloseTo(0.5, 12);
  });
});

describe("spearman", () => {
  it("depends only on ranks", () => {
    expect(spearman(pairs([1, 2, 3, 4], [1, 10, 100, 1000])).value).toBeCloseTo(1, 12);
  });

  it("gives equal values their mean rank", () => {
    // Ranks of y: 1.5 1.5 3; of x: 1 2 3. Products (-1)(-.5) + 0 + 1 * 1 = 1.5; squares 2 and 1.5.
    expect(spearman(pairs([1, 2, 3], [5, 5, 7])).value).toBeCloseTo(1.5 / Math.sqrt(3), 12);
  });
});
