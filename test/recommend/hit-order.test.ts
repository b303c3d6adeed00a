import { describe, expect, it } from "vitest";
import { agreeWithOrder, literalBlindKey, putRunnableFirst } from "../../src/recommend/recommend.js";

describe("literalBlindKey", () => {
  it("is equal for code that differs only in literals and comments", () => {
    const key = literalBlindKey("df = pd.read_csv('a.csv')  # mine\nplt.hist(df.x, bins=30)");
    expect(literalBlindKey('df = pd.read_csv("b.csv")\nplt.hist(df.x, bins=5)')).toBe(key);
    expect(literalBlindKey("df = pd.read_csv('a.csv')\nplt.hist(df.y, bins=30)")).not.toBe(key);
  });
});

describe("agreeWithOrder", () => {
  it("gives out-of-order hits their mean confidence, and leaves the rest unchanged", () => {
    const confidences = (values: (number | null)[]) =>
      agreeWithOrder(values.map((confidence) => ({ confidence }))).map(({ confidence }) => confidence);
    expect(confidences([0.75, 0.5, 0.25])).toEqual([0.75, 0.5, 0.25]);
    expect(confidences([0.5, 0.75, 0.25])).toEqual([0.625, 0.625, 0.25]);
    expect(confidences([0.25, 0.5, 0.75])).toEqual([0.5, 0.5, 0.5]);
    expect(confidences([0.25, null, 0.75])).toEqual([0.25, null, 0.75]);
    expect(confidences([])).toEqual([]);
  });
});

describe("putRunnableFirst", () => {
  it("swaps only hits that insert something", () => {
    const lacks = { a: "names", b: null, c: "nothing", d: "names" } as const;
    expect(putRunnableFirst(["a", "b", "c", "d"] as const, (hit) => lacks[hit])).toEqual(["c", "b", "a", "d"]);
  });

  it("puts hits without an insertion last if an insertion is wanted", () => {
    const lacks = { a: null, b: "names", c: null, d: "nothing" } as const;
    expect(putRunnableFirst(["a", "b", "c", "d"] as const, (hit) => lacks[hit], true)).toEqual(["d", "b", "a", "c"]);
  });
});
