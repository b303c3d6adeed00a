import { describe, expect, it } from "vitest";
import { neededNames } from "../../src/python/needed-names.js";

describe("neededNames", () => {
  it.each([
    ["y = x + 1\ny", ["x"]],
    ["import numpy as np\nnp.sum(df)", ["df"]],
    ["a, b = c", ["c"]],
    ["for i in items:\n    print(i)", ["items"]],
    ["def f(z):\n    return z\nf(q)", ["q"]],
    ["df = df.dropna()", ["df"]],
    ["df = pd.read_csv(p)\ndf = df.dropna()", ["pd", "p"]],
    ["df.head()", ["df"]],
    ["[x * k for x in xs if x > 0]", ["k", "xs"]],
    ["f = lambda a, b=c: a + b", ["c"]],
    ["with open(p) as file:\n    file.read()", ["p"]],
    ["plot(x=x)", ["plot", "x"]],
  ])("of %j", (code, expected) => {
    expect([...neededNames(code)]).toEqual(expected);
  });
});
