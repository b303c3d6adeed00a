import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isMarimoScript,
  isNotebookScript,
  isPercentScript,
  parseMarimo,
  parsePercent,
  parseScript,
} from "../../src/notebook/parse-script.js";

const cells = (text: string) => {
  const parsed = parseScript(text);
  return "notebook" in parsed
    ? parsed.notebook.cells.map(({ type, source }) => [type, source])
    : parsed.rejected.reason;
};

describe("parseScript", () => {
  it("reads both forms, whatever the line ends", () => {
    expect(cells("\uFEFF# %%\r\na\r\nb\r\n")).toEqual([["code", "a\nb"]]);
    expect(
      cells("\uFEFFimport marimo\r\napp = marimo.App()\r\n@app.cell\r\ndef _():\r\n    a\r\n    return\r\n"),
    ).toEqual([["code", "a"]]);
  });

  it("reads a marimo notebook as marimo, although one of its strings looks like a marker", () => {
    expect(cells('import marimo\napp = marimo.App()\n@app.cell\ndef _():\n    a = """\n# %%\n    """\n')).toEqual([
      ["code", 'a = """'],
    ]);
  });

  it("says why a script is not a notebook", () => {
    expect(cells("import os\nprint(os.name)")).toBe(
      "a script without cells: no line `# %%` starts one, and there is no `app = marimo.App(`",
    );
  });
});

describe("isNotebookScript", () => {
  it.each<[string, boolean]>([
    ["# %%\na", true],
    ["import marimo\napp = marimo.App()", true],
    ["import os", false],
  ])("of %j is %s", (text, expected) => {
    expect(isNotebookScript(text)).toBe(expected);
  });
});

const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const read = (text: string) => {
  const parsed = parsePercent(text);
  return "notebook" in parsed ? parsed.notebook.cells : [];
};
const percentCells = (text: string) => read(text).map(({ type, source }) => [type, source]);

describe("isPercentScript", () => {
  it.each<[string, boolean]>([
    ["# %%\na", true],
    ["#%%\na", true],
    ["a\n# %% A title\nb", true],
    ["#%%Title", true],
    ["# %% [markdown]\r\n# text", true],
    ["a = 1", false],
    ["x = 1  # %%", false],
    ["#\n%%time", false],
    ["# %%time\nx", false],
    ["'''\n %%\n'''", false],
    ["", false],
  ])("of %j is %s", (text, expected) => {
    expect(isPercentScript(text)).toBe(expected);
  });
});

describe("parsePercent", () => {
  it.each<[string, string, [string, string][]]>([
    [
      "cells between markers",
      "# %%\na = 1\n\n# %% two\nb = 2\n",
      [
        ["code", "a = 1"],
        ["code", "b = 2"],
      ],
    ],
    [
      "text before the first marker",
      "import a\n# %%\nb",
      [
        ["code", "import a"],
        ["code", "b"],
      ],
    ],
    ["blank lines before the first marker", "\n \n# %%\nb", [["code", "b"]]],
    [
      "Markdown",
      "# %% [markdown]\n# # Title\n#\n# text\n# %%\na",
      [
        ["markdown", "# Title\n\ntext"],
        ["code", "a"],
      ],
    ],
    ["short Markdown markers", "#%% [md]\n# text", [["markdown", "text"]]],
    ["raw cells", "# %% [raw]\nx", [["other", "x"]]],
    ["a header", "# ---\n# jupyter:\n#   kernelspec: x\n# ---\n\n# %%\na", [["code", "a"]]],
    [
      "magics that were commented out",
      "# %%\n# %matplotlib inline\n# !pip install a\n    # !ls\n# a remark",
      [["code", "%matplotlib inline\n!pip install a\n    !ls\n# a remark"]],
    ],
    [
      "cell magics that were commented out",
      "# %%\n# %%time\nf()\n# %%\n# %%bash\nls",
      [
        ["code", "%%time\nf()"],
        ["code", "%%bash\nls"],
      ],
    ],
    ["comments that only look like magics", "# %%\n# 50 % off!\n# %\n# ! !", [["code", "# 50 % off!\n# %\n# ! !"]]],
    [
      "empty cells",
      "# %%\n# %%\n\n# %%\na",
      [
        ["code", ""],
        ["code", ""],
        ["code", "a"],
      ],
    ],
    ["blank lines inside a cell", "# %%\n\n\na\n\nb\n\n", [["code", "a\n\nb"]]],
  ])("reads %s", (_, text, expected) => {
    expect(percentCells(text)).toEqual(expected);
  });

  it("counts the cells from 0", () => {
    expect(read("# %% [markdown]\n# a\n# %%\nb").map(({ index }) => index)).toEqual([0, 1]);
  });

  it("reads a megabyte of blanks in the middle of a cell", () => {
    expect(percentCells(`# %%\na${" ".repeat(1_000_000)}b`)).toEqual([["code", `a${" ".repeat(1_000_000)}b`]]);
    expect(percentCells(`# %%\na${"\n".repeat(1_000_000)}b`)).toEqual([["code", `a${"\n".repeat(1_000_000)}b`]]);
  });

  it("reads a header of a million lines that never ends", () => {
    expect(percentCells(`# ---\n${"# a\n".repeat(1_000_000)}# %%\nb`)[1]).toEqual(["code", "b"]);
  });

  it("reads fifty thousand cells and rejects more", () => {
    expect(percentCells("# %%\na\n".repeat(50_000)).length).toBe(50_000);
    expect(parsePercent("# %%\n".repeat(10_000_000))).toEqual({
      rejected: { kind: "not-a-notebook", reason: "it cannot be a notebook: it contains more than 50,000 cells" },
    });
  });

  it("reads every text", () => {
    const line = fc.constantFrom("# %%", "# %% [markdown]", "# ---", "#", "", "a = 1", "'''", "\r", "# %time", "\0");
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        return read(lines.join("\n")).every(({ index, source }, at) => index === at && source === source.trimEnd());
      }),
    );
    fc.assert(fc.property(fc.string({ unit: codeUnit }), (text) => read(text).length <= 1));
  });
});

const HEAD = 'import marimo\n\n__generated_with = "0.13.0"\napp = marimo.App(width="medium")\n\n';
const marimoCells = (body: string) => {
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
      "nothing after the last cell",
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
    expect(marimoCells(body)).toEqual(expected);
  });

  it("rejects absurdly many cells", () => {
    expect(marimoCells("@app.cell\ndef _():\n    a\n".repeat(50_000)).length).toBe(50_000);
    expect(marimoCells("@app.cell\n".repeat(10_000_000))).toBe(
      "it cannot be a notebook: it contains more than 50,000 cells",
    );
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
