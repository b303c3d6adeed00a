import { describe, expect, it } from "vitest";
import { alignLines } from "../../../src/recommend/answer/align.js";
import { collectOwnNames, matchNames } from "../../../src/recommend/answer/match-names.js";
import { readSourceLines } from "../../../src/recommend/answer/source-lines.js";

interface Own {
  readonly typed?: string;
  readonly before?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}
const own = ({ typed = "", before = [], variables = {} }: Own) =>
  collectOwnNames({
    typed: readSourceLines(typed),
    before: before.map(readSourceLines),
    variables,
    isTyping: typed !== "",
  });
const match = (cell: string, user: Own) => {
  const source = readSourceLines(cell);
  const pairs = alignLines(readSourceLines(user.typed ?? "").rows, source.rows, true);
  return Object.fromEntries(matchNames(source.logical, pairs, own(user)));
};
/** The new name of `df` in a cell whose first line was typed with the name `mine`. */
const rest = (lines: string) => match(`df = load('a')\n${lines}`, { typed: "mine = load('a')" });

describe("matchNames", () => {
  it("takes names at the same index of lines of one shape", () => {
    expect(match("a, b = split(c)\nz()", { typed: "x, y = split(w)" })).toEqual({ a: "x", b: "y", c: "w" });
    expect(rest("df.head()")).toEqual({ df: "mine" });
  });

  it.each([
    ["an f-string", "print(f'{df}')"],
    ["a query", "x.query('a > @df')"],
    ["a magic", "%timeit df"],
    ["a parameter", "def f(df): pass"],
    ["a lambda", "g = lambda df: 1"],
    ["an import", "from x import df"],
    ["a global", "global df"],
    ["a function", "def df(): pass"],
    ["a class", "class df: pass"],
    ["an attribute of a class", "class C:\n    df = 1"],
  ])("keeps a name that is also used as the name in %s", (_what, lines) => {
    expect(rest(lines)).toEqual({});
  });

  it.each([
    ["a plain string", "print('df')"],
    ["an attribute", "x.df"],
    ["a keyword argument", "f(df=1)"],
    ["a body behind the parameters", "def f(q): return df"],
    ["a lambda's body", "g = lambda q: df"],
  ])("renames a name that otherwise occurs only in %s", (_what, lines) => {
    expect(rest(lines).df).toBe("mine");
  });

  it("keeps the names of calls, unless the cell defines them", () => {
    expect(match("r = tool(x)\nz()", { typed: "r = mine(x)" })).toEqual({});
    expect(match("tool = make('a')\ntool(1)", { typed: "mine = make('a')" })).toEqual({ tool: "mine" });
  });

  it("never renames two names to the same one, nor to a name that the cell has", () => {
    expect(match("a = load('a')\nb = load('b')\nz()", { typed: "x = load('a')\nx = load('b')" })).toEqual({ a: "x" });
    expect(rest("mine = 1")).toEqual({});
    expect(rest("x.mine")).toEqual({ df: "mine" });
    expect(rest("f(mine=1)")).toEqual({ df: "mine" });
  });

  it("does not rename a name that the user also has", () => {
    expect(match("df = load('a')\nz()", { typed: "mine = load('a')\ndf = 1" })).toEqual({});
  });

  it("renames only if one name is clearly the best", () => {
    const two = ["one.head()\none.tail()\ntwo.head()\ntwo.tail()"];
    expect(match("df.head()\ndf.tail()", { before: [two[0]!] })).toEqual({});
    expect(match("df.head()\ndf.tail()", { before: ["one.head()\none.tail()", "x = 1"] })).toEqual({ df: "one" });
    // The name is used later, in the last cell.
    expect(match("df.head()\ndf.tail()", { before: ["one.head()\none.tail()", "two.head()\ntwo.tail()"] })).toEqual({
      df: "two",
    });
    expect(match("df.head()", { typed: "one.head()\none.tail()\ntwo.head()" })).toEqual({ df: "two" });
  });

  it("treats names that the cell defines as new, unless code is typed", () => {
    const before = ["mine = load('b')\nmine.head()\nmine.tail()"];
    const cell = "df = load('x')\ndf.head()\ndf.tail()";
    expect(match(cell, { before })).toEqual({});
    expect(match(cell, { before, typed: "x = 1" })).toEqual({ df: "mine" });
  });

  it("does not rename to a user's name that the cell would overwrite with another kind of value", () => {
    const before = ["mine = load('b')\nmine.head()\nmine.tail()"];
    const typed = "x = 1";
    expect(match("df = other('x')\ndf.head()\ndf.tail()", { before, typed })).toEqual({});
    expect(match("df = df.head()\ndf.tail()", { before, typed })).toEqual({ df: "mine" });
    const loop = "for df in tables:\n    df.head()\n    df.tail()";
    expect(match(loop, { before, typed })).toEqual({});
    expect(match(loop, { before: ["for own in rows: own.head(), own.tail()"], typed })).toEqual({ df: "own" });
  });

  it("distinguishes training data from test data", () => {
    const before = ["a, b, c, d = train_test_split(X, y)"];
    expect(match("m.fit(X_train, y_train)\np = m.predict(X_test)\naccuracy_score(y_test, p)", { before })).toEqual({
      X_train: "a",
      X_test: "b",
      y_train: "c",
      y_test: "d",
    });
  });

  it("knows a table by the argument of a plot, and a file by its block", () => {
    expect(match("sns.countplot(x='a', data=df)", { before: ["mine = pd.read_csv('a')"] })).toEqual({ df: "mine" });
    const typed = "with open('a.json') as handle:\n    config = json.load(handle)";
    expect(match("with open(path, 'rb') as f:\n    x.y(f)", { typed }).f).toBe("handle");
  });

  it("requires more than half of the words, and no other kind", () => {
    const before = ["X_test = clean(a)\npca = PCA()\npca.fit(a)"];
    expect(match("report(y_test)", { before })).toEqual({});
    expect(match("pca_2.fit(a)\npca_2.score(a)", { before })).toEqual({ pca_2: "pca" });
    expect(match("pca_2.head()\npca_2.fit", { before })).toEqual({});
  });

  it("does not treat imports and definitions as variables", () => {
    const before = ["from keras.layers import Dense\ndef draw(x): pass\nx = Dense.a\nx = draw.a"];
    expect(match("layers.a.b(1)\nlayers_draw.a", { before })).toEqual({});
  });
});

describe("collectOwnNames", () => {
  const recency = (user: Own) => Object.fromEntries([...own(user).all].map(([name, each]) => [name, each.recency]));

  it("weighs a name by where it was last used", () => {
    const found = recency({
      typed: "t = 1\nl = 2",
      before: ["far = 1", "near = 1"],
      variables: { k: "int", t: "int" },
    });
    expect(found).toEqual({ far: 0, near: 0.3, t: 0.6, l: expect.closeTo(1.3, 12), k: 0.3 });
    expect(recency({ before: ["a = 1"] })).toEqual({ a: 0.3 });
  });

  it("takes the kind of a variable from the kernel", () => {
    const { all: found } = own({ typed: "a = 1", variables: { a: "x.DataFrame", b: "int" } });
    expect([found.get("a")!.parts.get("kind frame"), found.get("b")!.parts.size]).toEqual([1.6, 0]);
    expect(found.get("a")!.parts.has("word a")).toBe(true);
  });

  it("leaves out functions, modules, keywords and builtins", () => {
    const variables = { np: "module", class: "int", print: "int", "a b": "int", é: "int" };
    expect([...own({ typed: "f(x)\nf(y)\ng(x)\ng.a", variables }).all.keys()]).toEqual(["x", "y", "g", "é"]);
  });
});
