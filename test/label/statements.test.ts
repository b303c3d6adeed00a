import { describe, expect, it } from "vitest";
import { readFacts } from "../../src/label/facts.js";
import { assignsWord, showsWord } from "../../src/label/statements.js";

const SHAPE = new Set(["shape"]);
const DROP = new Set(["dropna"]);

describe("showsWord", () => {
  it.each([
    ["t.shape", true],
    ["t.shape[0]", true],
    ["print(t.shape)", true],
    ["print('rows', t.shape[0])", true],
    ["display(t.shape)", true],
    ["for t in tables:\n    print(t.shape)", true],
    ["print(f(t.shape))", false],
    ["f(t.shape)", false],
    ["n = t.shape", false],
    ["n = print(t.shape)", false],
    ["for i in range(t.shape[0]):\n    f(i)", false],
    ["shape", false],
    ["", false],
  ])("of %j is %j", (code, shown) => {
    expect(showsWord(readFacts(code), SHAPE)).toBe(shown);
  });
});

describe("assignsWord", () => {
  it.each([
    ["t = t.dropna()", true],
    ["t = t.dropna().head()", true],
    ["t['a'] = u.dropna()['a']", true],
    ["t.a = u.dropna()", true],
    ["t = f(u.dropna())", false],
    ["t.dropna()", false],
    ["t.dropna = 1", false],
    ["t[u.dropna()] = 1", false],
    ["", false],
  ])("of %j is %j", (code, assigned) => {
    expect(assignsWord(readFacts(code), DROP)).toBe(assigned);
  });
});
