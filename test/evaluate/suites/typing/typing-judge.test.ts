import { describe, expect, it } from "vitest";
import { type TypingList, typingJudge } from "../../../../src/evaluate/suites/typing/typing-judge.js";
import { chooseHits } from "../../../../src/recommend/fit/train-ranking.js";

/** Four dissimilar candidates; the first feature ranks the last one first. */
function makeList(notebook: string, chrf: readonly number[]): TypingList {
  const values = chrf.map((_, at) => at);
  const vector = (at: number) => Float32Array.from(chrf, (_, other) => Number(other === at));
  return {
    notebook,
    cells: values.map((at) => ({
      id: `c${at}`,
      code: "",
      insert: "",
      vector: vector(at),
      row: Float64Array.of(at, -at),
    })),
    rows: values.map((at) => Float64Array.of(at, -at)),
    worth: Float64Array.from(chrf),
    chrf: Float64Array.from(chrf),
    insertChrf: Float64Array.from(chrf),
    callF1: null,
    useful: null,
  };
}

const lists = ["a", "b", "c"].map((name) => makeList(name, [0.1, 0.2, 0.3, 0.9]));
const [up, down] = [Float64Array.of(1, 0), Float64Array.of(0, 1)];

const compareWeights = (list: typeof lists, before: Float64Array, after: () => Float64Array) =>
  typingJudge.compare(list, before, after, null);

describe("typingJudge.compare", () => {
  it("accepts weights that are significantly better", () => {
    const { wins, metrics } = compareWeights(lists, down, () => up);
    expect(wins).toBe(true);
    expect(metrics.chrf).toMatchObject({ after: 0.9, difference: [expect.closeTo(0.6, 9), expect.closeTo(0.6, 9)] });
    expect(metrics["call-f1"]).toEqual({ before: null, after: null, difference: null });
  });

  it("rejects weights that are equal or worse", () => {
    expect(compareWeights(lists, up, () => up).wins).toBe(false);
    expect(compareWeights(lists, up, () => down).wins).toBe(false);
    // One notebook gains as much as another loses.
    const mixed = [makeList("a", [0.1, 0.2, 0.3, 0.9]), makeList("b", [0.9, 0.3, 0.2, 0.1])];
    expect(compareWeights(mixed, down, () => up).wins).toBe(false);
  });

  it("chooses hits by score, ties by the smaller id", () => {
    expect(chooseHits(lists[0]!, up, null, 3)[0]).toBe(3);
    expect(chooseHits(lists[0]!, Float64Array.of(0, 0), null, 3)[0]).toBe(0);
  });
});
