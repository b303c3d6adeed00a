import { beforeAll, describe, expect, it } from "vitest";
import { loadGrammar } from "../../../src/python/grammar.js";
import { type AdaptContext, createHitAdapter } from "../../../src/recommend/answer/answer.js";

const help = (typed: string, cell: string, context: AdaptContext = {}) => createHitAdapter(typed, context)(cell);

beforeAll(loadGrammar);

describe("unexpected input", () => {
  it.each([
    ["typed code that does not parse", "df = = (", "x = f(y)\nz = g(x)"],
    ["a cell that does not parse", "a = load()", "x = = (\n  y]\nz"],
    ["typed code and a cell that both do not parse", ")))", "def def (:\n  ''' "],
    ["only a magic", "%matplotlib inline", "%load_ext autoreload"],
    ["another language", "%%bash\nls", "%%html\n<b>df</b>"],
    ["names that are keywords elsewhere", "match = 1", "print >>log, data\nexec code"],
    ["NUL and lone surrogates", "a\0 = '\ud800'", "b = '\udfff\0'"],
  ])("leaves the code unchanged for %s", (_, typed, cell) => {
    const { adapted, insert } = help(typed, cell);
    expect(adapted).toMatchObject({ code: cell, renamed: {} });
    expect(typeof insert).toBe("string");
  });

  it("non-Latin names are names", () => {
    const { adapted } = help("данные = pd.read_csv('a.csv')", "df = pd.read_csv('a.csv')\ndf.head()");
    expect(adapted).toMatchObject({ insert: "данные.head()", renamed: { df: "данные" } });
    expect(help("df = pd.read_csv('a.csv')", "数据 = pd.read_csv('a.csv')\n数据.head()").adapted.insert).toBe(
      "df.head()",
    );
  });

  it("a cell that shadows builtins keeps them", () => {
    const cell = "list = pd.read_csv('a.csv')\nlist.head()\nlen = 3";
    expect(help("df = pd.read_csv('a.csv')", cell).adapted).toMatchObject({ code: cell, renamed: {} });
    // A name of the user that shadows a builtin does not replace a name of the cell either.
    const own = "df = pd.read_csv('a.csv')\ndf.head()";
    expect(help("list = pd.read_csv('a.csv')", own).adapted).toMatchObject({ code: own, renamed: {} });
  });

  it("a star-imported name is not renamed without evidence", () => {
    const cell = "from pylab import *\nplot(x, y)\nshow()";
    expect(help("a = 1", cell).adapted).toMatchObject({ code: cell, renamed: {} });
  });

  it("a cell of 2,000 lines and a context of 500 cells are answered", () => {
    const cell = Array.from({ length: 2000 }, (_, at) => `v${at} = f${at}(v${at - 1})`).join("\n");
    const before = Array.from({ length: 500 }, (_, at) => `df${at} = pd.read_csv('${at}.csv')\ndf${at}.head()`);
    expect(help("x = 1", cell, { before }).adapted.code).toBe(cell);
    const short = "df = pd.read_csv('499.csv')\ndf.head()\ndf.info()";
    expect(help("df499.info()", short, { before }).adapted.code).toBe(short.replaceAll("df", "df499"));
  });

  it("a line of 100,000 brackets is answered", () => {
    const deep = "(".repeat(100_000);
    expect(help(deep, "x = 1").adapted.renamed).toEqual({});
    expect(help("x = 1", `${deep}\ny = 2`).adapted.renamed).toEqual({});
  });

  it.each([
    "__class__; import os",
    "x y",
    "1a",
    "",
    "class",
    "print",
    "__proto__",
    "constructor",
    "a\nb",
    "a".repeat(10_000),
  ])("a kernel's variable %j harms nothing", (name) => {
    const cell = "df = pd.read_csv('a.csv')\ndf.describe()";
    const variables = JSON.parse(`{${JSON.stringify(name)}: "pandas.core.frame.DataFrame"}`);
    const { code, renamed } = help("x = 1", cell, { variables }).adapted;
    expect([cell, cell.replaceAll("df", name)]).toContain(code);
    if (!/^[A-Za-z_]\w*$/.test(name) || ["class", "print"].includes(name)) expect(renamed).toEqual({});
  });
});
