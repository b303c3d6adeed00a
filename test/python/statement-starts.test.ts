import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { extractCells } from "../../src/notebook/extract.js";
import { parseBytes } from "../../src/notebook/formats.js";
import { createStartCheck, packStatementStarts } from "../../src/python/statement-starts.js";
import { tokenize } from "../../src/python/tokenize.js";
import { createHitAdapter } from "../../src/recommend/answer/answer.js";
import { MODULES } from "../../src/recommend/answer/match-names.js";

const mayContinue = (typed: string, cell: string) => {
  const starts = packStatementStarts(tokenize(cell));
  return createStartCheck(typed, (name) => MODULES.has(name))(starts, 0, starts.length);
};

describe("createStartCheck", () => {
  it.each([
    ["another variable name", "train.", "import os\ndf.head()", true],
    ["another module", "plt.", "np.arange(3)", false],
    ["another function", "fit(", "score(x)", false],
    ["another attribute", "df.head(", "df.tail(2)", false],
    ["other values", "x = [1, 'a', ", "y = [2, 'b', 3]", true],
    ["the start of a word", "df.he", "df.head()", true],
    ["a line that nothing follows", "df.head()", "x = df.head()\ndf.head()", false],
    ["a part of a string", "pd.read_csv('tra", "df = 1\npd.read_csv('train.csv')", true],
    ["a string with a name", "pd.read_csv('tra", "pd.read_csv(path)", false],
    ["a statement over several lines", "f(a,\n  b", "f(x,\n\n  y, z)", true],
    ["a magic", "%matpl", "x = 1\n%matplotlib inline", true],
    ["no magic", "%matpl", "x = 1", false],
    ["a comment between", "df.drop(  # one", "# two\nframe.drop(x)", true],
    ["nothing typed", "", "df.head()", false],
    ["more tokens than are kept", `x = [${"1, ".repeat(30)}`, `x = [${"1, ".repeat(40)}]`, false],
  ])("compares %s", (_, typed, cell, expected) => {
    expect(mayContinue(typed, cell)).toBe(expected);
  });

  it("keeps two hundred statements of a cell, and forty-one tokens of each", () => {
    const cell = `f(${"x, ".repeat(100)})\n${"a.b\n".repeat(300)}`;
    expect(packStatementStarts(tokenize(cell)).length).toBe(42 + 199 * 4);
  });

  it("refuses no cell of the samples that continues a line of another", () => {
    const files = readdirSync("examples/notebooks").filter((name) => name.endsWith(".ipynb"));
    const cells = files.slice(0, 6).flatMap((name) => {
      const parsed = parseBytes("ipynb", readFileSync(`examples/notebooks/${name}`));
      return "notebook" in parsed ? extractCells(parsed.notebook).map(({ code }) => code) : [];
    });
    let continued = 0;
    for (const [at, cell] of cells.entries()) {
      const typed = cell.slice(0, Math.ceil((cell.length * ((at % 7) + 1)) / 9));
      const adapt = createHitAdapter(typed, {});
      for (const other of cells) {
        if (!adapt(other).continuesTyped) continue;
        continued += 1;
        expect([typed, other, mayContinue(typed, other)]).toEqual([typed, other, true]);
      }
    }
    expect(continued).toBeGreaterThan(50);
  });
});
