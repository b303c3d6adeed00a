import { describe, expect, it } from "vitest";
import { compareLine, insertedLine } from "../../../../src/evaluate/suites/cursor/compare-lines.js";
import type { CursorCase } from "../../../../src/evaluate/suites/cursor/cursor-cases.js";
import { breaksToken, closesEmpty, scoreCursor } from "../../../../src/evaluate/suites/cursor/cursor-score.js";
import { hasUndefinedName } from "../../../../src/evaluate/text/name-check.js";

const caseOf = (prefix: string, rest: string, more: Partial<CursorCase> = {}): CursorCase => ({
  id: "c",
  notebook: "n",
  cell_index: 0,
  kind: "dot",
  prefix,
  suffix: "",
  rest,
  preceding: [],
  markdown: "",
  ...more,
});

describe("compareLine", () => {
  it.each([
    ["the same", "df.", "head(5)", "head(5)", true, true],
    ["other spaces", "df[a", ",b]", ", b]", true, true],
    ["other quotes", "f(", "'a')", '"a")', true, true],
    ["another string", "f(", "'a')", "'b')", false, true],
    ["another number", "f(", "x=3)", "x=10)", false, true],
    ["another name", "f(", "a)", "b)", false, false],
    ["a string opened before the cursor", "f('", "a.csv')", "b.csv')", false, true],
    ["a string that is not closed", "f('", "a", "b'", false, false],
    ["less", "df.", "head", "head()", false, false],
    ["a comment behind it", "x = ", "1  # one", "1", true, true],
  ])("%s: after `%s` comes `%s`, not `%s`", (_, typed, text, rest, isExact, isLenient) => {
    expect(compareLine(typed, text, rest)).toMatchObject({ isExact, isLenient });
  });

  it("counts equal leading tokens; a half-typed name and its rest are one token", () => {
    expect(compareLine("df.gro", "upby('a')", "upby('b')")).toMatchObject({ next: "groupby", equalTokens: 2 });
    expect(compareLine("df.gro", "w()", "upby('b')")).toMatchObject({ next: "grow", equalTokens: 0, isPrefix: false });
    expect(compareLine("df.gro", "upby(", "upby('b')")).toMatchObject({ equalTokens: 2, isPrefix: true });
    expect(compareLine("df", "_x", " = 3")).toMatchObject({ next: "df_x", equalTokens: 0 });
    expect(compareLine("df", "", " = 3")).toMatchObject({ next: null, equalTokens: 0, isPrefix: false });
  });

  it("reads the first line without a comment, and skips blank lines at the start of a line", () => {
    expect(insertedLine("x = ", "f('#')  # why\ny")).toBe("f('#')");
    expect(insertedLine("", "\n  \n  a\nb")).toBe("  a");
    expect(insertedLine("x", "\nb")).toBe("");
  });
});

describe("scoreCursor", () => {
  it("scores the first and the best, and ranks distinct next tokens", () => {
    const scores = scoreCursor(
      caseOf("df.", "head(3)"),
      [
        { text: "tail()", confidence: 0.5 },
        { text: "tail(2)", confidence: 0.2 },
        { text: "head(5)", confidence: 0.1 },
        { text: "head", confidence: 0.1, kind: "token" },
      ],
      undefined,
    );
    expect(scores).toMatchObject({
      exact: { first: 0, best: 0 },
      lenient: { first: 0, best: 1 },
      next: { first: 0, among3: 1, reciprocal: 0.5 },
      answered: 1,
      undefinedName: 0,
      brokenToken: 0,
      emptyCall: 0,
      right: [false, false, false, true],
    });
  });

  it("scores 1 for exactly the rest of the line", () => {
    const scores = scoreCursor(caseOf("df.", "head(3)"), [{ text: "head(3)", confidence: null }], undefined);
    expect(scores).toMatchObject({ exact: { first: 1, best: 1 }, next: { first: 1, reciprocal: 1 }, chrf: 1 });
  });

  it("scores 0 without an answer, which breaks no token", () => {
    expect(scoreCursor(caseOf("df.", "head()"), [], undefined)).toEqual({
      exact: { first: 0, best: 0 },
      lenient: { first: 0, best: 0 },
      next: { first: 0, among3: 0, reciprocal: 0 },
      chrf: 0,
      answered: 0,
      undefinedName: null,
      brokenToken: null,
      emptyCall: null,
      right: [],
    });
  });
});

describe("undefined names", () => {
  const above = ["import pandas as pd\ndf = pd.read_csv('a')"];
  it.each([
    ["df.head()", false],
    ["other.head()", true],
    ["len(df)", false],
    ["other = df", false],
    ["[row for row in df]", false],
    ["df.plot(kind=bar)", true],
    ["df.plot(kind='bar')", false],
  ])("in `%s` are detected: %s", (text, is) => {
    expect(hasUndefinedName({ prefix: "", preceding: above }, text)).toBe(is);
  });

  it("counts a name that the text completes, but no name typed before", () => {
    expect(hasUndefinedName({ prefix: "oth", preceding: above }, "er")).toBe(true);
    expect(hasUndefinedName({ prefix: "other", preceding: above }, ".head()")).toBe(false);
  });

  it("is unknown after a star import", () => {
    expect(hasUndefinedName({ prefix: "", preceding: ["from x import *"] }, "other")).toBe(null);
  });
});

describe("broken tokens", () => {
  it.each([
    ["a half-typed name that is continued", "df.gro", "upby()", "upby('a')", "", false],
    ["a half-typed name that is dropped", "df.gro", "upby()", "(x)", "", true],
    ["a name that exists, left as it is", "df\ndf", "_a", ".head()", "", false],
    ["a string that is closed", "f('", "a')", "b')", "", false],
    ["a string that is continued", "f('", "a')", "b", "", false],
    ["a string that a line break ends", "f('", "a')", "b\nc", "", true],
    ["a string that the text opens and leaves open", "f(", "'a')", "'b", "", true],
    ["the same, closed after the cursor", "f(", "'a')", "'b", "')", false],
    ["a name that runs into the suffix", "f(", "a, ", "a", "b)", true],
    ["a name before a bracket", "f(", "a", "a", ")", false],
  ])("are checked for: %s", (_, prefix, rest, text, suffix, is) => {
    expect(breaksToken(caseOf(prefix, rest), text, suffix)).toBe(is);
  });

  it("detects a call closed without arguments", () => {
    expect(closesEmpty(caseOf("fillna(", "0)"), ")")).toBe(true);
    expect(closesEmpty(caseOf("head(", ")"), ")")).toBe(false);
    expect(closesEmpty(caseOf("fillna(", "0)"), "1)")).toBe(false);
  });
});
