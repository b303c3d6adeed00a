import { describe, expect, it } from "vitest";
import { collectEvidence, findOrigins } from "../../../src/recommend/answer/name-evidence.js";
import { readSourceLines } from "../../../src/recommend/answer/source-lines.js";
import { kindOfType, kindsOfUse } from "../../../src/recommend/answer/value-kinds.js";

const read = (code: string) => collectEvidence(readSourceLines(code).logical);
/** The evidence for each name, except the words of the name itself. */
const partsOf = (code: string) =>
  Object.fromEntries(
    [...read(code)].map(([name, { parts }]) => [
      name,
      Object.fromEntries([...parts].filter(([part]) => !part.startsWith("word "))),
    ]),
  );

describe("the roles of names", () => {
  it.each<[string, Record<string, Record<string, number>>]>([
    ["x = load('a')", { x: { "=load": 1.5 }, load: { "()": 0.4 } }],
    ["a, b = split(c)", { a: { "=split 0": 1.5 }, b: { "=split 1": 1.5 }, split: { "()": 0.4 }, c: { ">split 0": 1 } }],
    ["(a, b) = split(1)", { a: { "=split 0": 1.5 }, b: { "=split 1": 1.5 }, split: { "()": 0.4 } }],
    [
      "x = a(b(c(d(1))))",
      {
        x: { "=a": 1.5, "=b": 1.5, "=c": 1.5 },
        a: { "()": 0.4 },
        b: { "()": 0.4 },
        c: { "()": 0.4 },
        d: { "()": 0.4 },
      },
    ],
    ["t['Age'] = u['Sex'][i]", { t: { "[Age]": 1.2, "[]": 0.4 }, u: { "[Sex]": 1.2, "[]": 0.4 }, i: {} }],
    ["t[k] = 1", { t: { "[]": 0.4 }, k: {} }],
    [
      "m.fit(X, y, weight=w)",
      {
        m: { ".fit()": 1, "kind estimator": 0.9 },
        X: { ">fit 0": 1, "to learn from": 0.9 },
        y: { ">fit 1": 1, "to learn": 0.9 },
        w: { ">fit weight=": 1 },
      },
    ],
    ["print(m.coef_, -z)", { m: { ".coef_": 1, ">print 0": 1, "kind estimator": 0.9 }, z: {} }],
    ["for a, b in rows:", { a: { for: 0.4 }, b: { for: 0.4 }, rows: { in: 0.4 } }],
    ["g([p, {q}], r)", { g: { "()": 0.4 }, p: {}, q: {}, r: { ">g 1": 1 } }],
    ["f(x == 1)", { f: { "()": 0.4 }, x: { ">f 0": 1 } }],
  ])("%s", (code, expected) => {
    expect(partsOf(code)).toEqual(expected);
  });

  it("include the words of the name; a single letter counts half", () => {
    const words = (name: string) => [...read(`${name}\n`).get(name)!.parts];
    expect(words("df")).toEqual([["word df", 0.8]]);
    expect(words("x")).toEqual([["word x", 0.4]]);
  });

  it("include the calls that make the name's value elsewhere", () => {
    const names = collectEvidence(readSourceLines("f(pred)").logical, (name) => (name === "pred" ? ["=predict"] : []));
    expect([...names.get("pred")!.parts]).toEqual([
      ["word pred", 0.8],
      [">f 0", 1],
      ["=predict", 1.5],
    ]);
    const { logical } = readSourceLines("p = load()\np = m.predict(q)\nr = m.predict(q)\nX, y = split(q)\nX = 5");
    expect([...findOrigins(logical, new Set(["p", "X", "q"]))]).toEqual([
      ["p", ["=predict"]],
      ["X", ["=split 0"]],
    ]);
  });

  it("find the last line of the name", () => {
    const names = read("a = load(b)\nc = a.b\nb = 1");
    expect([...names].map(([name, { lastLine }]) => [name, lastLine])).toEqual([
      ["a", 1],
      ["load", 0],
      ["b", 2],
      ["c", 1],
    ]);
  });

  it("exclude attributes, keyword arguments, imports and builtins", () => {
    expect([...read("from os import path\nx.y(key=1)\nprint(len)").keys()]).toEqual(["x"]);
  });
});

describe("kinds of values", () => {
  it("are recognised by their use", () => {
    expect([...kindsOfUse([".head()", ".predict()", "=figure", "=read_csv", ".nothing()"])]).toEqual([
      "kind frame",
      "kind estimator",
      "kind figure",
    ]);
  });

  it.each([
    ["pandas.core.frame.DataFrame", "kind frame"],
    ["Series", "kind series"],
    ["numpy.ndarray", "kind array"],
    ["sklearn.svm.SVC", "kind estimator"],
    ["RandomForestClassifier", "kind estimator"],
    ["ClassifierMixin", undefined],
    ["int", undefined],
    ["constructor", undefined],
  ])("are recognised by the type %s", (type, kind) => {
    expect(kindOfType(type)).toBe(kind);
  });
});
