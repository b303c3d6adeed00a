import { describe, expect, it } from "vitest";
import { createScope } from "../../src/complete/roles.js";
import { appendCell, emptyStream } from "../../src/complete/stream.js";
import { readCell } from "../../src/complete/tokens.js";

const read = (code: string, usual: ReadonlyMap<string, string> = new Map()) => {
  const scope = createScope(usual);
  appendCell(emptyStream(), scope, readCell(code));
  return scope;
};

describe("the role of a variable", () => {
  it.each([
    ["d = pd.read_csv('a')", "d", "frame"],
    ["d = pd.read_csv('a').dropna()", "d", "frame"],
    ["d = pd.read_csv('a')\nc = d['x']", "c", "series"],
    ["d = pd.read_csv('a')\nc = d[['x', 'y']]", "c", "frame"],
    ["a, b, c, d = train_test_split(x, y)", "c", "train_test_split 2"],
    ["m = RandomForestClassifier(n_estimators=10)", "m", "estimator"],
    ["m = RandomForestClassifier()\nm2 = m.fit(x, y)", "m2", "estimator"],
    ["s = StandardScaler()", "s", "transformer"],
    ["for i in range(3):\n    pass", "i", "each range"],
    ["for k, v in d.items():\n    pass", "v", "each items 1"],
    ["with open('a') as f:\n    pass", "f", "call open"],
    ["def f(a, b=1):\n    pass", "b", "parameter"],
    ["def f(a):\n    pass", "f", "function"],
    ["import numpy as np", "np", "import"],
    ["from a import b as c", "c", "import"],
    ["x = 1", "x", "number"],
    ["x = 'a'", "x", "text"],
    ["x, y = 1, 'a'", "y", "text"],
    ["x = a > b", "x", "condition"],
    ["x = [1, 2]", "x", "list"],
    ["d = pd.read_csv('a')\nn = d.shape[0]", "n", "item attribute shape"],
  ])("in %j is that of the expression that made it", (code, name, role) => {
    expect(read(code).roleOf(name)).toBe(role);
  });

  it("is the usual role of its name if no visible code defines it", () => {
    expect(read("def f(df):\n    pass", new Map([["df", "frame"]])).roleOf("df")).toBe("frame");
  });

  it("is not lost when the name is bound again", () => {
    const scope = read("a = pd.read_csv('x')\na = 1");
    expect([scope.roleOf("a"), scope.nameOf("frame", 0), scope.nameOf("number", 0)]).toEqual(["number", null, "a"]);
  });
});

describe("the rank of a variable", () => {
  it("is the number of variables with its role that were mentioned later", () => {
    const scope = read("a = pd.read_csv('x')\nb = pd.read_csv('y')\na.head()");
    expect([scope.nameOf("frame", 0), scope.nameOf("frame", 1), scope.nameOf("frame", 2)]).toEqual(["a", "b", null]);
  });

  it("is not changed by assignments in a fork", () => {
    const scope = read("a = 1\nb = 2");
    scope.fork().bind("a", "number");
    expect(scope.nameOf("number", 0)).toBe("b");
  });
});

describe("the uses of a name", () => {
  it("are counted since it was bound", () => {
    const scope = read("import os\na = 1\nb = a + a\nos.listdir()\nc = 3\na = 2");
    expect(["os", "a", "b", "c", "d"].map(scope.usesOf)).toEqual([1, 0, 0, 0, 0]);
    expect(read("a = 1\nb = a + a").usesOf("a")).toBe(2);
  });
});

describe("a name that is no variable", () => {
  it.each([
    ["df.head()", 2],
    ["f(axis=1)", 2],
    ["import os", 1],
  ])("is not mentioned in %j", (code, at) => {
    const usual = new Map([
      ["head", "x"],
      ["axis", "x"],
      ["os", "x"],
    ]);
    expect(createScope(usual).readStatement(readCell(code))[at]).toBeNull();
  });
});
