import { describe, expect, it } from "vitest";
import { canonicalString, readCell, readPrefix } from "../../src/complete/tokens.js";

const texts = (code: string) => readCell(code).map(({ text }) => text);

describe("readCell", () => {
  it.each([
    ["x = 1  # one\ny = 2", ["x", "=", "1", "\n", "y", "=", "2"]],
    ["if a:\n    b\nc", ["if", "a", ":", "\n+", "b", "\n-", "c"]],
    ["for i in x:\n  if i:\n    a\nb", ["for", "i", "in", "x", ":", "\n+", "if", "i", ":", "\n+", "a", "\n--", "b"]],
    ['df["a"]', ["df", "[", "'a'", "]"]],
    ["f(1,\n  2)\ng", ["f", "(", "1", ",", "2", ")", "\n", "g"]],
    ["a = \\\n  1", ["a", "=", "1"]],
    ["f(1\nimport os", ["f", "(", "1", "\n", "import", "os"]],
    ["%matplotlib inline\nx", ["%matplotlib inline", "\n", "x"]],
    ["", []],
  ])("reads %j", (code, expected) => {
    expect(texts(code)).toEqual(expected);
  });

  it("marks tokens that start a line inside brackets", () => {
    expect(
      readCell("f(1,\n  2)")
        .filter(({ isWrapped }) => isWrapped)
        .map(({ text }) => text),
    ).toEqual(["2"]);
  });

  it("gives a token the comment lines above it, not the comment at the end of the line before", () => {
    const read = readCell("a = 1  # one\n# drop rows\n# and columns\nb = 2");
    expect(read.flatMap(({ text, comment }) => (comment === undefined ? [] : [[text, comment]]))).toEqual([
      ["b", "# drop rows# and columns"],
    ]);
  });

  it("has one token for all long strings", () => {
    expect(texts(`x = '${"a".repeat(80)}'`)).toEqual(["x", "=", "'…'"]);
  });
});

describe("readPrefix", () => {
  it.each([
    ["df.gro", "gro", "name", ["df", "."]],
    ["df.groupby(", "", null, ["df", ".", "groupby", "("]],
    ['df["Ag', "'Ag", "string", ["df", "["]],
    ["x = 0.", "0.", "number", ["x", "="]],
    ["x = ", "", null, ["x", "="]],
    ["x = 1\n", "", null, ["x", "=", "1", "\n"]],
    ["if x:\n    ", "", null, ["if", "x", ":", "\n+"]],
  ])("finds the word being typed in %j", (prefix, partial, partialKind, tokens) => {
    const read = readPrefix(prefix);
    expect({
      partial: read.partial,
      partialKind: read.partialKind,
      tokens: read.tokens.map(({ text }) => text),
    }).toEqual({ partial, partialKind, tokens });
  });

  it.each([["x = 1  # not"], ['"""a doc'], [`print('${"x".repeat(70)}`]])("completes nothing in %j", (prefix) => {
    expect(readPrefix(prefix).isCode).toBe(false);
  });

  it("finds the comment lines above the cursor", () => {
    expect(readPrefix("a = 1\n# drop rows\n").comment).toBe("# drop rows");
    expect(readPrefix("# drop rows\na = 1\n").comment).toBe("");
  });

  it("finds the open brackets and the indentation", () => {
    expect(readPrefix("if a:\n    f([1, ")).toMatchObject({ open: ["(", "["], indent: "    ", indents: [0, 4] });
  });
});

describe("canonicalString", () => {
  it.each([
    ['"a"', "'a'"],
    [`"it's"`, `"it's"`],
    ['F"x"', "f'x'"],
    ['"""a"""', '"""a"""'],
    ['"open', "'open"],
  ])("writes %s as %s", (text, expected) => {
    expect(canonicalString(text)).toBe(expected);
  });
});
