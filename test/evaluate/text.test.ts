import { describe, expect, it } from "vitest";
import { callNames } from "../../src/evaluate/text/calls.js";
import { characterGrams, chrF } from "../../src/evaluate/text/chrf.js";
import { dropCommentLines } from "../../src/evaluate/text/comment-lines.js";

describe("callNames", () => {
  it.each([
    ["df = pd.read_csv(path)", ["read_csv"]],
    ["m = Ridge(alpha=f(1)).fit(X).predict(Z)", ["Ridge", "f", "fit", "predict"]],
    ["print(len(x)); s = ', '.join(format(y)); a.append('{}'.format(z))", []],
    ["sum(x); df.sum()", ["sum"]],
    ["def fit(self): return go(self)", ["go"]],
    ["class Net(nn.Module):\n    def __init__(self): super().__init__()", ["__init__"]],
    ["if (a): pass\nx = (b)\nreturn(c)", []],
    ["'call(me)'; f'{not_me(1)}'  # nor(me)", []],
    ["%timeit run(1)\ngo(2)", ["go"]],
    ["plot (x)\nfit(a); fit(b)", ["plot", "fit"]],
    ["for i in ran", []],
    ["score(X,", ["score"]],
    ["", []],
  ])("of %j", (code, names) => {
    expect([...callNames(code)]).toEqual(names);
  });
});

describe("dropCommentLines", () => {
  it("drops lines that hold only a comment, and no others", () => {
    expect(dropCommentLines("# a\nx = 1  # b\n   # c\n\ny = '#'\n#")).toBe("x = 1  # b\n\ny = '#'");
  });
});

describe("chrF", () => {
  const of = (given: string, wanted: string) => chrF(characterGrams(given), characterGrams(wanted));

  it("is 1 for equal texts, whatever the white space, and 0 without a common character", () => {
    expect(of("a = 1\n", "a=1")).toBe(1);
    expect(of("abc", "xyz")).toBe(0);
    expect(of("", "abc")).toBe(0);
    expect(of("abc", "")).toBe(0);
  });

  it("counts an n-gram as often as both hold it", () => {
    // 1-grams: 2 of 3 and 2 of 2; 2-grams: 1 of 2 and 1 of 1. P (2/3 + 1/2) / 2, R 1.
    expect(of("aaa", "aa")).toBeCloseTo((5 * (7 / 12)) / (4 * (7 / 12) + 1), 12);
  });

  it("counts code points, not halves of them", () => {
    // One of two characters, and no common pair: P = R = (1/2 + 0) / 2.
    expect(of("😀a", "😀b")).toBeCloseTo(1 / 4, 12);
  });
});
