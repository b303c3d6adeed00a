import { describe, expect, it } from "vitest";
import { diversify } from "../../src/recommend/diversify.js";

const hit = (id: string, score: number, ...vector: number[]) => ({ id, score, vector: Float32Array.from(vector) });
const hits = [hit("a", 1, 1, 0), hit("copy", 0.9, 1, 0), hit("other", 0.5, 0, 1), hit("last", 0, 0.6, 0.8)];
const ids = (k: number, diversity: number) => diversify(hits, k, diversity).map(({ id }) => id);

describe("diversify", () => {
  it("leaves the order at 0", () => {
    expect(ids(3, 0)).toEqual(["a", "copy", "other"]);
  });

  it("weighs relevance against likeness to what was chosen", () => {
    // After a: copy .5 x .9 - .5 x 1 = -.05, other .5 x .5 - 0 = .25, last 0 - .5 x .6 = -.3.
    expect(ids(4, 0.5)).toEqual(["a", "other", "copy", "last"]);
  });

  it("takes the least alike at 1", () => {
    expect(ids(3, 1)).toEqual(["a", "other", "last"]);
  });

  it("gives what there is", () => {
    expect(diversify([], 3, 0.5)).toEqual([]);
    expect(ids(9, 0.5)).toHaveLength(4);
    expect(
      diversify(
        [
          { id: "x", score: 1, vector: null },
          { id: "y", score: 1, vector: null },
        ],
        2,
        0.5,
      ),
    ).toHaveLength(2);
  });
});
