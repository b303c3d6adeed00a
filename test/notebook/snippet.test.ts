import { describe, expect, it } from "vitest";
import { makeSnippet, parseSnippet, type SnippetCell } from "../../src/notebook/snippet.js";

const makeCell = (code: string, name = "a.ipynb"): SnippetCell => ({
  id: "0123456789abcdef",
  code,
  labels: ["ingest_data"],
  notebook: { source: "kaggle", name, cellIndex: 7 },
});

describe("makeSnippet", () => {
  it.each([
    ["deep/My Notebook (2).ipynb", "celrec-my-notebook-2-7-01234567.json"],
    ["データ.ipynb", "celrec-notebook-7-01234567.json"],
    [`${"long".repeat(20)}.py`, `celrec-${"long".repeat(10)}-7-01234567.json`],
  ])("names the file of %s as Elyra wants it", (name, file) => {
    expect(makeSnippet(makeCell("x = 1", name)).file).toBe(file);
  });

  it.each([
    ["x = 1", "x = 1"],
    ["# why\nimport pandas as pd\n%matplotlib inline\ndf = pd.DataFrame()", "df = pd.DataFrame()"],
    ["import os\nimport sys", "import os"],
    ["# nothing else", "# nothing else"],
    [`value = "${"v".repeat(60)}"`, `value = "${"v".repeat(31)}...`],
  ])("names %j after its first line that does something", (code, title) => {
    expect(makeSnippet(makeCell(code)).document.display_name).toBe(`a 7: ${title}`);
  });

  it("names the origin of the cell", () => {
    const cell = makeCell("x = 1");
    expect(makeSnippet(cell).document.metadata.description).toBe("From kaggle/a.ipynb, cell 7");
    const known = { ...cell.notebook, location: "https://example.org/a", author: "ada", licence: "Apache 2.0" };
    expect(makeSnippet({ ...cell, notebook: known }).document.metadata.description).toBe(
      "From https://example.org/a, cell 7; by ada; licence: Apache 2.0",
    );
  });

  it("is read back as it was", () => {
    const code = "def f():\n\treturn '''\n\n'''\n";
    const parsed = parseSnippet(JSON.stringify(makeSnippet(makeCell(code)).document));
    expect(parsed).toEqual({
      notebook: { cells: [{ index: 0, type: "code", source: code }] },
      facts: { title: "a 7: def f():" },
    });
  });
});
