import { describe, expect, it } from "vitest";
import { isNotebookScript, parseScript } from "../../src/notebook/parse-script.js";

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

  it("takes a marimo notebook for one, though a string of it looks like a marker", () => {
    expect(cells('import marimo\napp = marimo.App()\n@app.cell\ndef _():\n    a = """\n# %%\n    """\n')).toEqual([
      ["code", 'a = """'],
    ]);
  });

  it("says why a script is no notebook", () => {
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
