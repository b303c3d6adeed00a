import { describe, expect, it } from "vitest";
import { readSourceLines } from "../../../src/recommend/answer/source-lines.js";

const rowsOf = (code: string) =>
  readSourceLines(code).rows.map(({ row, indent, depth, isInside, tokens }) => [
    row,
    indent,
    depth,
    isInside,
    tokens.map(({ text }) => text).join(" "),
  ]);
const logical = (code: string) =>
  readSourceLines(code).logical.map(({ tokens }) => tokens.map(({ text }) => text).join(" "));

describe("the rows of a text", () => {
  it("have their number, their indentation, and the brackets that are open at their end", () => {
    expect(rowsOf("if a:\n\n    f(x, [  # why\n      1,\n    ])\ng()")).toEqual([
      [0, 0, 0, false, "if a :"],
      [2, 4, 2, false, "f ( x , ["],
      [3, 6, 2, false, "1 ,"],
      [4, 4, 0, false, "] )"],
      [5, 0, 0, false, "g ( )"],
    ]);
  });

  it("split a string of several rows, and mark the rows that start inside it", () => {
    expect(rowsOf('s = """one\n\n  two\n"""\nt = 1')).toEqual([
      [0, 0, 0, false, 's = """one'],
      [2, 2, 0, true, "two"],
      [3, 0, 0, true, '"""'],
      [4, 0, 0, false, "t = 1"],
    ]);
  });

  it("forget a bracket that was left open if a statement starts, and never close more than was open", () => {
    expect(rowsOf("f(a\nimport os\nx)\ny").map(([, , depth]) => depth)).toEqual([1, 0, 0, 0]);
    expect(rowsOf(")\nf(").map(([, , depth]) => depth)).toEqual([0, 1]);
  });
});

describe("the statements of a text", () => {
  it("continue inside brackets and after a backslash, and skip comments", () => {
    expect(logical("f(a,\n  b)\nx = 1 + \\\n  2  # two\n# nothing\ny")).toEqual(["f ( a , b )", "x = 1 + \\ 2", "y"]);
  });

  it.each(["import os", "def g(): pass", "class C: pass", "return 1", "while x: pass", "with x: pass", "raise x"])(
    "end where %j shows that a bracket was left open",
    (statement) => {
      expect(logical(`f(a\n${statement}`).length).toBe(2);
      expect(logical(`f(a\nb`).length).toBe(1);
    },
  );

  it("do not count brackets that were never opened", () => {
    expect(logical("a)\nb(\nc)")).toEqual(["a )", "b ( c )"]);
  });
});
