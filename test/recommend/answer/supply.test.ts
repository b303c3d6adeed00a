import { describe, expect, it } from "vitest";
import { createColumnFilter, createSupply, readKnownNames } from "../../../src/recommend/answer/supply.js";

const supply = (typed: string, insert: string, sources: readonly string[], continuesLine = false) =>
  createSupply(typed, new Set(["pd", "df", "i"])).supply(insert, continuesLine, sources);

describe("readKnownNames", () => {
  it("has the names of the typed code, the cells above and the kernel", () => {
    const context = { before: ["import numpy as np", "def f(a): pass"], variables: { model: "SVC" } };
    expect([...readKnownNames("df.head(n=1)", context)!].sort()).toEqual(["a", "df", "f", "model", "np"]);
    expect([...readKnownNames("df", { before: [] })!]).toEqual(["df"]);
  });

  it("is unknown if the cells above are, or if they have a star import", () => {
    expect(readKnownNames("df.head()", {})).toBeNull();
    expect(readKnownNames("df.head()", { before: ["from numpy import *"] })).toBeNull();
  });
});

describe("createSupply", () => {
  it("finds the names that an insertion needs and the notebook does not define", () => {
    const { findMissing } = createSupply("df.head()", new Set(["df", "np", "model"]));
    expect([...findMissing("", false)]).toEqual([]);
    expect([...findMissing("x = np.sum(df)\nmodel.fit(x)\nprint(x)", false)]).toEqual([]);
    expect([...findMissing("model.fit(X_train, y_train)", false)]).toEqual(["X_train", "y_train"]);
    expect([...createSupply("df.isn", new Set(["df"])).findMissing("ull().sum()", true)]).toEqual([]);
  });

  it.each([
    ["an import", "plt.show()", ["import matplotlib.pyplot as plt"], "import matplotlib.pyplot as plt\nplt.show()"],
    [
      "one name of an import of several",
      "s = Scaler()",
      ["from sklearn.preprocessing import (Encoder, StandardScaler as Scaler)"],
      "from sklearn.preprocessing import StandardScaler as Scaler\ns = Scaler()",
    ],
    ["a module by its path", "os.listdir()", ["import os.path"], "import os.path\nos.listdir()"],
    ["an assignment", "df.head(n)", ["n = 5"], "n = 5\ndf.head(n)"],
    [
      "the statement that made a value, not one that changed it",
      "df.head(n)",
      ["n = 5", "n = n + 1"],
      "n = 5\ndf.head(n)",
    ],
    ["what the hit's own cell makes", "print(n)", ["n = 5", "n = len(df)\nprint(n)"], "n = len(df)\nprint(n)"],
    ["the nearest assignment", "df.head(n)", ["n = 5\nn = 6", "n = 7"], "n = 7\ndf.head(n)"],
    [
      "the imports that a definition needs",
      "df[cols].head()",
      ["import numpy as np", "cols = list(np.array(['b']))"],
      "import numpy as np\ncols = list(np.array(['b']))\ndf[cols].head()",
    ],
    [
      "a definition right before the statement that needs it",
      "df.head()\nplt.show()",
      ["import matplotlib.pyplot as plt"],
      "df.head()\nimport matplotlib.pyplot as plt\nplt.show()",
    ],
  ])("adds %s", (_title, insert, sources, text) => {
    expect(supply("df.info()", insert, sources)).toEqual({ text, isCut: false });
  });

  it.each([
    ["a statement that needs an undefined name", "df.head()\nmodel.fit(df)\ndf.tail()", "df.head()\ndf.tail()"],
    [
      "a statement that needs the result of such a statement",
      "p = model.predict(df)\nprint(p)\ndf.tail()",
      "df.tail()",
    ],
    ["a block with such a statement", "for i in df:\n    model.fit(i)\nelse:\n    df.tail()\ndf.head()", "df.head()"],
    ["the comment before such a statement", "df.head()\n# fit\nmodel.fit(df)", "df.head()"],
    ["everything", "model.fit(df)", ""],
  ])("leaves out %s", (_title, insert, text) => {
    expect(supply("df.info()", insert, [])).toEqual({ text, isCut: true });
  });

  it.each([
    ["data that is loaded from elsewhere", "test.head()", ["test = pd.read_csv('b.csv')"]],
    ["a value that a loop or a function makes", "print(total)", ["for i in df:\n    total = i"]],
    ["a long definition", "print(words)", [`words = ['${"a".repeat(400)}']`]],
    ["circular definitions", "print(a)", ["a = b", "b = a"]],
    ["an empty container", "scaler = f(X_train)", ["f = 1", "X_train = []"]],
    ["data that another cell makes", "print(both)", ["both = pd.concat([df, df])", "print(both)"]],
    ["a definition that needs another one", "print(b)", ["a = 1", "b = a + 1"]],
  ])("does not add %s", (_title, insert, sources) => {
    expect(supply("df.info()", insert, sources)).toEqual({ text: "", isCut: true });
  });

  it("adds nothing before the statement that is being typed", () => {
    const sources = ["n = 5", "import numpy as np"];
    expect(supply("df.head(", "n)", sources, true)).toEqual({ text: "", isCut: true });
    expect(supply("df.head(", "5)\nnp.sum(df)", sources, true)).toEqual({
      text: "5)\nimport numpy as np\nnp.sum(df)",
      isCut: false,
    });
    // A missing import can still be added above the statement, so the text is kept.
    expect(supply("cm = ", "confusion_matrix(df, df)", ["from a import confusion_matrix"], true)).toEqual({
      text: "confusion_matrix(df, df)",
      isCut: true,
    });
    expect(supply("df.head(\n", "    5)\nother()", sources)).toEqual({ text: "    5)", isCut: true });
  });

  it("leaves no block empty, and indents added definitions", () => {
    expect(supply("for i in df:", "    model.fit(i)\ndf.head()", [])).toEqual({ text: "", isCut: true });
    expect(supply("for i in df:", "    print(i, n)\ndf.head()", ["n = 5"])).toEqual({
      text: "    n = 5\n    print(i, n)\ndf.head()",
      isCut: false,
    });
  });
});

describe("createColumnFilter", () => {
  const mentions = ["df['Age'].hist()\ndf.Sex.unique()"];
  const filter = (typed: string, insert: string, continuesLine = false, cell = "df['Height']") =>
    createColumnFilter(typed, new Set(["df"]), mentions)(insert, continuesLine, cell);

  it("trusts a cell that shares a column with the user, and all cells if the user has none", () => {
    const insert = "df['Height'].mean()";
    expect(filter("df.info()", insert, false, "df[['Height', 'Sex']]")).toEqual({ text: insert, isCut: false });
    expect(createColumnFilter("df.info()", null, ["df = load('a')"])(insert, false, insert)).toEqual({
      text: insert,
      isCut: false,
    });
  });

  it.each([
    ["a column that the code mentions", "df['Age'].mean()\ndf['Sex'].mode()"],
    ["a column that the insertion makes", "df['new'] = df['Age'] * 2\ndf['new'].mean()"],
    ["other strings", "plt.plot(x, 'b')\nprint('Height')\nnames = {'Height': 1}"],
  ])("keeps %s", (_title, insert) => {
    expect(filter("df.info()", insert)).toEqual({ text: insert, isCut: false });
  });

  it.each([
    ["a statement that reads another column", "df['Height'].mean()\ndf.head()", "df.head()"],
    ["one that changes it", "df['Height'] = df['Height'] / 100\ndf.head()", "df.head()"],
    ["one that needs the result", "tall = df[['Height', 'Age']]\ntall.plot()\ndf.head()", "df.head()"],
    ["everything", "df['Height'].mean()", ""],
  ])("leaves out %s", (_title, insert, text) => {
    expect(filter("df.info()", insert)).toEqual({ text, isCut: true });
  });

  it("keeps the rest of the typed statement, but counts it as cut", () => {
    expect(filter("x = df.", "groupby('Age')['Height'].mean()\ndf['Weight'].max()", true)).toEqual({
      text: "groupby('Age')['Height'].mean()",
      isCut: true,
    });
    expect(filter("df['Hei", "ght'].mean()\ndf['Height'].max()", true)).toEqual({
      text: "ght'].mean()",
      isCut: true,
    });
  });

  it("leaves no block empty", () => {
    expect(filter("for i in df:", "    df['Height'].mean()\ndf.head()")).toEqual({ text: "", isCut: true });
  });
});
