import { describe, expect, it } from "vitest";
import { permutationTest, permuteSums } from "../../../src/evaluate/statistics/permutation.js";

const ratio = ([sum, count]: readonly number[]) => (count === 0 ? 0 : sum! / count!);

describe("permuteSums", () => {
  it("equals the test of differences if both runs have equally many values", () => {
    const [a, b] = [
      [0.1, 0.4, 0.3, 0.5, 0.2],
      [0.3, 0.4, 0.9, 0.6, 0.4],
    ];
    const pairs = a!.map((value, at) => ({ a: [value, 1], b: [b![at]!, 1] }));
    const expected = permutationTest(a!.map((value, at) => b![at]! - value));
    expect(permuteSums(pairs, ratio)).toBe(expected);
    // Four pairs differ, all in favour of one run. So two of the sixteen sign patterns are as extreme.
    expect(expected).toBe(2 / 16);
  });

  it("includes unchanged values in the sums, and is 1 if nothing changed", () => {
    const still = { a: [5, 10], b: [5, 10] };
    expect(permuteSums([still], ratio)).toBe(1);
    expect(permuteSums([], ratio)).toBe(1);
    expect(permuteSums([still, { a: [0, 10], b: [10, 10] }], ratio)).toBe(1);
  });
});
