import { beforeAll, describe, expect, it } from "vitest";
import { isSuitable } from "../../../../src/evaluate/suites/exeds/exeds-build.js";
import { toProblem } from "../../../../src/evaluate/suites/exeds/exeds-problems.js";
import {
  exceptionOf,
  functionOf,
  librariesOf,
  makeTables,
  outputTypeOf,
  wrongOutput,
} from "../../../../src/evaluate/suites/exeds/exeds-tables.js";
import { loadGrammar } from "../../../../src/python/grammar.js";

beforeAll(loadGrammar);

describe("the kind of a problem", () => {
  it.each([
    ["df['price'].mean().round(2)", "data statistics"],
    ["print(df.groupby('a')['b'].sum())", "data statistics"],
    ["df.sort_values('a').head(3)", "data exploration"],
    ["df['city'].unique()", "data exploration"],
    ["print(df.shape)", "data properties"],
    ["len(df)", "data properties"],
    ["pred = clf.predict(X)\nnp.mean(pred == y)", "machine learning"],
    ["accuracy_score(y, pred)", "machine learning"],
    ["df.dropna().reset_index()", "data manipulation"],
    ["np.sqrt(2)", "math"],
    ["3 * x + 1", "math"],
    ["best", "display"],
    ["print('a = b')", "display"],
  ])("of %s is %s", (code, kind) => {
    expect(functionOf(code)).toBe(kind);
  });

  it("names the packages that it imports", () => {
    const before = ["import pandas as pd, os", "from sklearn.linear_model import LinearRegression\nx = 1"];
    expect([...librariesOf({ before, reference: "import matplotlib.pyplot as plt # y" })]).toEqual([
      "pandas",
      "os",
      "sklearn",
      "matplotlib",
    ]);
  });

  it.each([
    ["29.7", "number", "number"],
    ["np.float64(5.4647)", undefined, "number"],
    ["[1, 2]", undefined, "list, tuple or array"],
    ["(3, 2)", "array tuple", "list, tuple or array"],
    ["   a\n0  1", undefined, "data frame or several lines"],
    ["coffee", "str", "text"],
  ])("the output %s of type %s is a %s", (output, answerType, type) => {
    expect(outputTypeOf({ output, answerType })).toBe(type);
  });
});

describe("failures", () => {
  it.each([
    ["NameError", "variable or API not defined"],
    ["IndentationError", "invalid syntax"],
    ["KeyError", "key, column or index not found"],
    ["ValueError", "wrong attribute, type or value"],
    ["ZeroDivisionError", "other exception"],
    ["ok", null],
    ["timeout", null],
    ["context: KeyError", null],
    ["no prediction", null],
  ])("%s is counted as %s", (ended, category) => {
    expect(exceptionOf(ended)).toBe(category);
  });

  it.each([
    ["", "3", "no output"],
    ["4", "3", "nothing right"],
    ["3.001 5", "3", "too much"],
    ["[3]", "[3, 5]", "too little"],
    ["[3, 4]", "[3, 5]", "partly right"],
    ["[5, 3]", "[3, 5]", "partly right"],
    ["3 3", "3", "too much"],
  ])("the output %j instead of %j is %s", (given, wanted, kind) => {
    expect(wrongOutput(given, wanted)).toBe(kind);
  });

  it("is counted over all cases, beside the share of each kind that is solved", () => {
    const problem = (id: string, reference: string, output: string) =>
      toProblem({ id, context: ["import pandas as pd"], intent: "?", reference, output }, "");
    const predicted = (id: string, right: number, raw: string, rawOutput: string) => ({
      ...{ id, notebook: id, copy: false, counts: {}, results: [] },
      values: { "output-em": right, "adapted-output-em": 1 },
      notes: { raw, adapted: "ok", "raw output": rawOutput, "adapted output": "right" },
    });
    const tables = makeTables(
      [problem("a", "df.a.mean()", "3"), problem("b", "df.a.sum()", "4"), problem("c", "df.shape", "(1, 2)")],
      [predicted("a", 1, "ok", "right"), predicted("b", 0, "KeyError", ""), predicted("c", 0, "ok", "too much")],
    );
    expect(tables.functions).toEqual([
      { name: "data statistics", problems: 2, outputEm: 0.5, adaptedOutputEm: 1 },
      { name: "data properties", problems: 1, outputEm: 0, adaptedOutputEm: 1 },
    ]);
    expect(tables.outputTypes.map(({ name, problems }) => [name, problems])).toEqual([
      ["number", 2],
      ["list, tuple or array", 1],
    ]);
    expect(tables.exceptions.raw["key, column or index not found"]).toBe(1);
    expect(tables.wrongOutputs).toEqual({
      raw: { "no output": 0, "nothing right": 0, "partly right": 0, "too little": 0, "too much": 1 },
      adapted: { "no output": 0, "nothing right": 0, "partly right": 0, "too little": 0, "too much": 0 },
    });
  });
});

describe("the rules of the builder", () => {
  const cells = (...sources: string[]) => sources.map((source, index) => ({ index, type: "code" as const, source }));
  const filler = Array.from({ length: 4 }, (_, at) => `pass  # ${at}`);

  it.each([
    ["five lines", ["x = 1", "x\nx\nx\n# not a line of code\nx\n\nx"], true],
    ["six lines", ["x = 1", "x\nx\nx\nx\nx\nx"], false],
    ["a function of the notebook", ["def f(x): return x", "f(3)"], false],
    ["a lambda of the notebook", ["f = lambda x: x", "f(3)"], false],
    ["a method of a class of the notebook", ["class A:\n  def go(self): pass\na = A()", "a.go()"], false],
    ["a definition", ["x = 1", "def f(): pass\nx"], false],
    ["a variable of the fifth cell above", ["x = 1", ...filler, "x"], true],
    ["a variable of the sixth cell above", ["x = 1", "pass", ...filler, "x"], false],
    ["an import from far above", ["import pandas as pd", "pass", ...filler, "pd.__name__"], true],
    [
      "names of a tuple, a loop and a with",
      ["a, (b, c) = f\nfor d in a: pass\nwith e as g: pass", "a, b, c, d, g"],
      true,
    ],
    ["a frame to which a column is assigned", ["df['x'] = 1", "df.x"], true],
    ["a name that is only a keyword argument", ["f(x=1)", "x"], false],
  ])("are applied to %s", (_, sources, isTaken) => {
    expect(isSuitable(cells(...sources))).toBe(isTaken);
  });
});
