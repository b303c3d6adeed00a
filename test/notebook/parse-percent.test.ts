import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPercentScript, parsePercent } from "../../src/notebook/parse-percent.js";

const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const read = (text: string) => {
  const parsed = parsePercent(text);
  return "notebook" in parsed ? parsed.notebook.cells : [];
};
const cells = (text: string) => read(text).map(({ type, source }) => [type, source]);

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
      "what stands before the first marker",
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
    expect(cells(text)).toEqual(expected);
  });

  it("counts the cells from 0", () => {
    expect(read("# %% [markdown]\n# a\n# %%\nb").map(({ index }) => index)).toEqual([0, 1]);
  });

  it("reads a megabyte of blanks in the middle of a cell", () => {
    expect(cells(`# %%\na${" ".repeat(1_000_000)}b`)).toEqual([["code", `a${" ".repeat(1_000_000)}b`]]);
    expect(cells(`# %%\na${"\n".repeat(1_000_000)}b`)).toEqual([["code", `a${"\n".repeat(1_000_000)}b`]]);
  });

  it("reads a header of a million lines that never ends", () => {
    expect(cells(`# ---\n${"# a\n".repeat(1_000_000)}# %%\nb`)[1]).toEqual(["code", "b"]);
  });

  it("reads fifty thousand cells and rejects more", () => {
    expect(cells("# %%\na\n".repeat(50_000)).length).toBe(50_000);
    expect(parsePercent("# %%\n".repeat(10_000_000))).toEqual({
      rejected: { kind: "not-a-notebook", reason: "it cannot be a notebook: it holds more than 50,000 cells" },
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
