import { describe, expect, it } from "vitest";
import { createNgramModel } from "../../../../src/evaluate/suites/cursor/cursor-baselines.js";

const texts = (cells: string[], prefix: string, k = 3) =>
  createNgramModel(cells)
    .complete(prefix, k)
    .map(({ text }) => text);

describe("the plain n-gram model", () => {
  it("continues a line with the most frequent continuation of the same tokens", () => {
    const cells = ["df.head()", "df.head()\nx = 1", "df.tail()", "y.sum()"];
    expect(texts(cells, "df.", 2)).toEqual(["head()", "tail()"]);
    expect(texts(cells, "a = 2\ndf.", 1)).toEqual(["head()"]);
  });

  it("continues a half-typed name or string, and recognizes it after any context", () => {
    const cells = ["pd.read_csv('train.csv')", "plt.show()"];
    expect(texts(cells, "df = pd.re", 1)).toEqual(['ad_csv("train.csv")']);
    expect(texts(cells, "pd.read_csv('tr", 1)).toEqual(['ain.csv")']);
    expect(texts(cells, "pd.read_csv('train.csv'", 1)).toEqual([")"]);
    expect(texts(cells, "something_else.sho", 1)).toEqual(["w()"]);
  });

  it("puts spaces between words only", () => {
    expect(texts(["from a import b as c"], "from ", 1)).toEqual(["a import b as c"]);
  });

  it("predicts nothing for an unseen context", () => {
    expect(texts([], "df.")).toEqual([]);
    expect(texts(["x = 1"], "zzz")).toEqual([]);
  });

  it("gives absolutely discounted probabilities", () => {
    // Two cells of five tokens: <cell> a . b and the line break. Each seen context gives its one follower (2 - .8) / 2 = .6 and
    // leaves .4 to the shorter one; without a context every token has (2 - .8) / 10 = .12.
    const b = 0.6 + 0.4 * 0.6 + 0.4 ** 2 * 0.6 + 0.4 ** 3 * 0.12;
    const lineBreak = 0.6 + 0.4 * 0.6 + 0.4 ** 2 * 0.6 + 0.4 ** 3 * 0.6 + 0.4 ** 4 * 0.12;
    // A cell cannot start inside a line, so the probability of <cell> is shared by the other tokens.
    const expected = (b / (b + 3 * 0.4 ** 3 * 0.12)) * (lineBreak / (lineBreak + 4 * 0.4 ** 4 * 0.12));
    const [first] = createNgramModel(["a.b", "a.b"]).complete("a.", 1);
    expect(first!.text).toBe("b");
    expect(first!.confidence).toBeCloseTo(expected, 10);
  });
});
