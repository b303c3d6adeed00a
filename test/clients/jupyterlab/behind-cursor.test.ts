import { describe, expect, it } from "vitest";
import { changeAtCursor, textBehindCursor } from "../../../clients/jupyterlab/src/behind-cursor.js";

const hit = (insert: string, continuesLine = false) => ({ continuesLine, adapted: { code: "", insert, renamed: {} } });

describe("changeAtCursor", () => {
  it.each([
    [
      "goes on in the line",
      hit('"a.csv")\ndf.head()', true),
      "df = read(",
      "",
      { from: 10, to: 10, text: '"a.csv")\ndf.head()' },
    ],
    [
      "takes what the editor closed",
      hit('"a.csv")', true),
      "df = read(",
      ")\nx",
      { from: 10, to: 11, text: '"a.csv")' },
    ],
    [
      "leaves other text behind the cursor",
      hit('"a.csv")', true),
      "df = read(",
      ", x)",
      { from: 10, to: 10, text: '"a.csv")' },
    ],
    ["starts a new line", hit("df.head()"), "df = read()", "", { from: 11, to: 11, text: "\ndf.head()" }],
    ["uses an empty line", hit("df.head()"), "x\n", "", { from: 2, to: 2, text: "df.head()" }],
    ["brings its own indentation", hit("    y = 1"), "if x:\n  ", "", { from: 6, to: 8, text: "    y = 1" }],
    ["changes nothing where nothing can stand there", hit(""), "df[df.age >", "]", { from: 11, to: 11, text: "" }],
  ])("%s", (_, given, code, behind, change) => {
    expect(changeAtCursor(given, code, behind)).toEqual(change);
  });
});

describe("textBehindCursor", () => {
  it.each([
    ["shows only the first lines", hit("a)\nb\nc", true), "f(", 2, "a)\nb"],
    ["starts a new line behind a finished one", hit("df.head()"), "df = read()", 4, "\ndf.head()"],
    ["starts none behind a word that may be half typed", hit("df.head()"), "df = rea", 4, ""],
    ["leaves out the indentation that is there", hit("    y = 1"), "if x:\n    ", 4, "y = 1"],
    ["cannot take back indentation", hit("y = 1"), "if x:\n    ", 4, ""],
    ["shows nothing where nothing can stand there", hit(""), "df[df.age > 3]", 4, ""],
  ])("%s", (_, given, code, lines, text) => {
    expect(textBehindCursor(given, code, lines)).toBe(text);
  });
});
