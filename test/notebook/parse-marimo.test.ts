import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMarimoScript, parseMarimo } from "../../src/notebook/parse-marimo.js";

const HEAD = 'import marimo\n\n__generated_with = "0.13.0"\napp = marimo.App(width="medium")\n\n';
const cells = (body: string) => {
  const parsed = parseMarimo(HEAD + body);
  return "notebook" in parsed
    ? parsed.notebook.cells.map(({ type, source }) => [type, source])
    : parsed.rejected.reason;
};

describe("isMarimoScript", () => {
  it.each<[string, boolean]>([
    [HEAD, true],
    ["import marimo as mo\napp = marimo.App()", true],
    ["import marimo", false],
    ["app = marimo.App()", false],
    ["# import marimo\n# app = marimo.App()", false],
    ["", false],
  ])("of %j is %s", (text, expected) => {
    expect(isMarimoScript(text)).toBe(expected);
  });
});

describe("parseMarimo", () => {
  it.each<[string, string, [string, string][]]>([
    ["a cell", "@app.cell\ndef _():\n    x = 1\n    return (x,)\n\n\n", [["code", "x = 1"]]],
    ["a cell without names", "@app.cell\ndef _(df):\n    df.head()\n    return\n", [["code", "df.head()"]]],
    ["a cell with nothing in it", "@app.cell\ndef _():\n    return\n", [["code", ""]]],
    [
      "options of cells, names and async",
      "@app.cell(hide_code=True)\nasync def load(x):\n    y = await f(x)\n    return y,\n",
      [["code", "y = await f(x)"]],
    ],
    [
      "parameters and names over several lines",
      "@app.cell\ndef _(\n    a,\n    b,\n):\n    if a:\n        c = b\n    return (\n        c,\n    )\n",
      [["code", "if a:\n    c = b"]],
    ],
    [
      "blank lines and strings inside",
      '@app.cell\ndef _():\n    s = """\n    a\n\n      b\n    """\n\n    t = s\n    return s, t\n',
      [["code", 's = """\na\n\n  b\n"""\n\nt = s']],
    ],
    [
      "returns of functions inside",
      "@app.cell\ndef _():\n    def f():\n        return 1\n    return (f,)\n@app.cell\ndef _():\n    def g():\n        return 2\n",
      [
        ["code", "def f():\n    return 1"],
        ["code", "def g():\n    return 2"],
      ],
    ],
    [
      "the setup block",
      "with app.setup:\n    import numpy as np\n    # a remark\n\n\n@app.cell\ndef _():\n    np.pi\n    return\n",
      [
        ["code", "import numpy as np\n# a remark"],
        ["code", "np.pi"],
      ],
    ],
    [
      "functions and classes, which stay what they are",
      "@app.function\ndef f(x):\n    return x\n\n\n@app.class_definition\n@dataclass\nclass A:\n    b: int\n",
      [
        ["code", "def f(x):\n    return x"],
        ["code", "@dataclass\nclass A:\n    b: int"],
      ],
    ],
    [
      "Markdown",
      '@app.cell(hide_code=True)\ndef _(mo):\n    mo.md(\n        r"""\n    # Title\n\n    text\n    """\n    )\n    return\n',
      [["markdown", "# Title\n\ntext"]],
    ],
    [
      "code that marimo could not parse",
      'app._unparsable_cell(\n    r"""\n    x = (\n    """,\n    name="_"\n)\n\n@app.cell\ndef _():\n    y\n    return\n',
      [
        ["code", "x = ("],
        ["code", "y"],
      ],
    ],
    [
      "nothing of the end",
      '@app.cell\ndef _():\n    a\n    return\n\n\nif __name__ == "__main__":\n    app.run()\n',
      [["code", "a"]],
    ],
    ["no cells", "", []],
    ["a decorator at the end", "@app.cell", [["code", ""]]],
    [
      "a head that is never closed",
      "@app.cell\ndef _(a,\n@app.cell\ndef _():\n    b\n",
      [
        ["code", ""],
        ["code", "b"],
      ],
    ],
  ])("reads %s", (_, body, expected) => {
    expect(cells(body)).toEqual(expected);
  });

  it("rejects absurdly many cells", () => {
    expect(cells("@app.cell\ndef _():\n    a\n".repeat(50_000)).length).toBe(50_000);
    expect(cells("@app.cell\n".repeat(10_000_000))).toBe("it cannot be a notebook: it holds more than 50,000 cells");
  });

  it("reads every text", () => {
    const part = fc.constantFrom(
      "@app.cell",
      "@app.function",
      "def _(",
      "):",
      "\n",
      "\n    ",
      "return",
      "with app.setup:",
      "mo.md(",
      '"""',
      "app._unparsable_cell(",
      "a",
      "(",
      ")",
      "\0",
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const parsed = parseMarimo(parts.join(""));
        return (
          "notebook" in parsed &&
          parsed.notebook.cells.every(({ index, source }, at) => index === at && source === source.trimEnd())
        );
      }),
    );
  });
});
