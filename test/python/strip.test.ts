import { describe, expect, it } from "vitest";
import { filledLines, lineStarts, strip } from "../../src/python/strip.js";

describe("strip", () => {
  it.each<[string, string, string, number[]]>([
    ["comments", "a = 1  # one\n# two\nb = 2", "a = 1\nb = 2", [0, 2]],
    ["blank lines", "\n\na\n \n\t\nb\n\n", "a\nb", [2, 5]],
    ["trailing spaces", "a  \nb\t", "a\nb", [0, 1]],
    ["everything, where there is nothing else", "# a\n\n  # b\n", "", []],
    ["nothing of an empty text", "", "", []],
    ["comments inside brackets", "f(a, # one\n  # two\n  b)", "f(a,\n  b)", [0, 2]],
    ["a comment between blocks", "if a:\n    b\n# c\n    d", "if a:\n    b\n    d", [0, 1, 3]],
    ["the comment before a cell magic", "# all\n%%bash\nls # all\n\npwd", "%%bash\nls # all\n\npwd", [1, 2, 3, 4]],
    ["carriage returns at the end of lines", "a\r\nb # c\r\n", "a\nb", [0, 1]],
  ])("removes %s", (_, code, text, lines) => {
    expect(strip(code)).toEqual({ text, lines });
  });

  it.each<[string, string]>([
    ["strings with # and %", `a = "# no" + '%s' % b`],
    ["f-strings with formats", `f"{a:#x} {b:%Y} # {c["#"]}"`],
    ["blank lines and trailing spaces inside strings", '"""a  \n\n  # no  \n%time x\n"""'],
    ["magics with comments", "!ls # all"],
    ["help", "df.head?"],
    ["the body of a cell of another language", "%%R\n# no\n\nx <- 1  \ny"],
    ["a file that a cell writes", "%%writefile a.py\n# kept\n\nx = 1"],
    ["continued magics", "!ls \\\n  # no"],
    ["indentation", "if a:\n\tb\n    c"],
    ["Python 2", 'print "a" % b, `c`'],
    ["half a line", "df.groupby('a"],
    ["reversed text", ")1 ,'a'(f = x"],
    ["NUL bytes and lone surrogates", "a\0\ud800"],
  ])("keeps %s", (_, code) => {
    expect(strip(code).text).toBe(code);
  });

  it.each<[string, string, string, number[]]>([
    ["blank", "a = 1 \\\n\nb = 2", "a = 1 \\\n\nb = 2", [0, 1, 2]],
    ["blank but for spaces", "a = 1 \\\n   \nb = 2", "a = 1 \\\n\nb = 2", [0, 1, 2]],
    ["a comment", "a = 1 \\\n# c\n# d\nb = 2", "a = 1 \\\n\nb = 2", [0, 1, 3]],
    ["blank, at the end", "a = 1 \\\n\n\n", "a = 1 \\\n", [0, 1]],
    ["a comment, at the end", "a = 1 \\\n# c", "a = 1 \\\n", [0, 1]],
    ["blank, in a magic", "!ls \\\n\nb = 2", "!ls \\\n\nb = 2", [0, 1, 2]],
    ["code", "a = \\\n  1 # c", "a = \\\n  1", [0, 1]],
  ])("keeps the line after a backslash if it is %s", (_, code, text, lines) => {
    expect(strip(code)).toEqual({ text, lines });
  });

  it("does not turn a backslash before blanks into a continuation", () => {
    expect(strip("!dir \\  \nb = 2").text).toBe("!dir \\ \nb = 2");
    expect(strip("a \\ # c\n\nb").text).toBe("a \\ \nb");
    expect(strip("a # c \\\n\nb").text).toBe("a\nb");
  });
});

describe("lineStarts", () => {
  it.each<[string, number[]]>([
    ["", [0]],
    ["a", [0]],
    ["a\n", [0, 2]],
    ["\n\nab\nc", [0, 1, 2, 5]],
  ])("of %j are %j", (text, starts) => {
    expect(lineStarts(text)).toEqual(starts);
  });
});

describe("filledLines", () => {
  it.each<[string, string[]]>([
    ["", []],
    [" \n\t", []],
    ["a \n\n  b\n# c", ["a ", "  b", "# c"]],
  ])("of %j are %j", (text, lines) => {
    expect(filledLines(text)).toEqual(lines);
  });
});
