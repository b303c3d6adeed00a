import { describe, expect, it } from "vitest";
import { findNewText, planInsertion } from "../../../clients/jupyterlab/src/insertions.js";

const hit = (insert: string, continuesLine = false, code = insert) => ({
  continuesLine,
  matched: [],
  insert,
  adapted: { code, insert },
});
const NOTHING = "Nothing to insert: this cell does not continue what you typed.";
const UNDEFINED = "Nothing to insert: the new code uses names that your notebook does not define.";
const INSIDE = "The cursor is inside a line. Move it to the end of the line to insert.";

describe("planInsertion", () => {
  it.each([
    ["continues the line", hit('"a.csv")\ndf.head()', true), "df = read(", "", [[0, '"a.csv")\ndf.head()']]],
    ["does not close a bracket that the editor closed", hit('"a.csv")', true), "df = read(", ")\nx", [[0, '"a.csv"']]],
    [
      "inserts before and after a bracket that the editor closed",
      hit('"a.csv")\ndf.head()', true),
      "df = read(",
      ")\nx",
      [
        [0, '"a.csv"'],
        [1, "\ndf.head()"],
      ],
    ],
    ["starts a new line", hit("df.head()"), "df = read()", "\nx", [[0, "\ndf.head()"]]],
    ["uses an empty line", hit("df.head()"), "x\n", "", [[0, "df.head()"]]],
    ["leaves out existing indentation", hit("    y = 1"), "if x:\n    ", "", [[0, "y = 1"]]],
    ["does not remove indentation", hit("    y = 1"), "if x:\n        ", "", [[0, "\n    y = 1"]]],
    [
      "adds an import that the new text needs, below a cell magic",
      hit("np.log(x)", false, "import numpy as np\nimport os\nx = 1\nnp.log(x)"),
      "%%time\nx = 1",
      "",
      [
        [-5, "import numpy as np\n"],
        [0, "\nnp.log(x)"],
      ],
    ],
    [
      "adds no existing import",
      hit("np.log(x)", false, "import numpy as np\nx = 1\nnp.log(x)"),
      "import os, numpy as np\nx = 1",
      "",
      [[0, "\nnp.log(x)"]],
    ],
  ])("%s", (_, given, prefix, suffix, insertions) => {
    expect(planInsertion(given, prefix, suffix)).toEqual({
      insertions: insertions.map(([at, text]) => ({ at, text })),
      problem: null,
    });
  });

  it("knows the imports of the cells above", () => {
    const given = hit("np.log(x)", false, "from numpy import linalg\nimport numpy as np\nx = 1\nnp.log(x)");
    expect(planInsertion(given, "x = 1", "", ["import numpy as np"]).insertions).toEqual([
      { at: 0, text: "\nnp.log(x)" },
    ]);
  });

  it.each([
    ["nothing is new", hit(""), "df[df.age >", "]", NOTHING],
    ["the new text needs names", { ...hit("", true), insert: "train_test_split(X)" }, "a, b = ", "", UNDEFINED],
    ["all new text exists already", hit(")", true), "f(", ")", NOTHING],
    ["a line would start inside a line", hit("df.head()"), "df = read(", "path)", INSIDE],
    ["other text follows in the line", hit('"a.csv")', true), "df = read(", ", x)", INSIDE],
  ])("refuses if %s", (_, given, prefix, suffix, problem) => {
    expect(planInsertion(given, prefix, suffix)).toEqual({ insertions: [], problem });
  });
});

describe("findNewText", () => {
  const cell = "import numpy as np\nx = load()\nx = load()\nnp.log(x)";

  it("finds the lines after the match, and the imports", () => {
    const given = { ...hit("x = load()\nnp.log(x)", false, cell), matched: [{ start: 1, end: 2 }] };
    const found = findNewText(given, planInsertion(given, "x = load()", ""));
    expect([...found!]).toEqual([
      [2, 0],
      [3, 0],
      [0, 0],
    ]);
  });

  it("finds where the rest of the line starts", () => {
    const given = { ...hit("og(x)", true, cell), matched: [{ start: 3, end: 4 }] };
    expect([...findNewText(given, planInsertion(given, "import numpy as np\nnp.l", ""))!]).toEqual([[3, 4]]);
  });

  it("finds nothing if the cell does not contain the text, or nothing is inserted", () => {
    const given = hit("og(x))", true, cell);
    expect(findNewText(given, planInsertion(given, "import numpy as np\nf(np.l", ""))).toBe(null);
    expect(findNewText(given, planInsertion(given, "f(np.l", ", y)"))).toEqual(new Map());
  });
});
