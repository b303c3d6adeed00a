import { describe, expect, it } from "vitest";
import { parsePython } from "../../../src/evaluate/published/python-parser.js";
import { printPython } from "../../../src/evaluate/published/python-printer.js";
import { orderOfSet } from "../../../src/evaluate/published/python-set-order.js";
import { stripDocstrings, tokenizePython } from "../../../src/evaluate/published/python-tokens.js";
import { keyOf, readLiteral } from "../../../src/evaluate/published/python-value.js";

describe("tokenizePython", () => {
  const kinds = (code: string) =>
    tokenizePython(code).map(({ kind, text }) => (text === "" ? kind : `${kind} ${text}`));

  it.each([
    ["x=1", ["name x", "operator =", "number 1", "newline", "end"]],
    ["# a\n\nx", ["comment # a", "blank \n", "blank \n", "name x", "newline", "end"]],
    [
      "if a:\n  b\n",
      ["name if", "name a", "operator :", "newline \n", "indent   ", "name b", "newline \n", "dedent", "end"],
    ],
    ["(\n1)", ["operator (", "blank \n", "number 1", "operator )", "newline", "end"]],
    ["f'''a\nb''' 1.5e3j", ["string f'''a\nb'''", "number 1.5e3j", "newline", "end"]],
    ["a \\\n+ b", ["name a", "operator +", "name b", "newline", "end"]],
    ["!ls ?", ["error !", "name ls", "error  ", "error ?", "newline", "end"]],
    ["'open", ["error '", "name open", "newline", "end"]],
  ])("of %j", (code, expected) => {
    expect(kinds(code)).toEqual(expected);
  });

  it.each(["(1", "'''a", "if a:\n    b\n  c", "a \\\n"])("raises for %j", (code) => {
    expect(() => tokenizePython(code)).toThrow();
  });

  it("refuses tabs whose width matters only on request", () => {
    const code = "if a:\n        b\n\tc\n";
    expect(() => tokenizePython(code)).not.toThrow();
    expect(() => tokenizePython(code, { checkTabs: true })).toThrow("Tabs and blanks are mixed.");
  });
});

describe("printPython", () => {
  const print = (code: string) => printPython(parsePython(code));

  it.each([
    ["x = (1,)", "x = 1,\n"],
    ["f(a, b=1, *c)", "f(a, *c, b=1)\n"],
    ["x = 1e5 + 0xff", "x = 100000.0 + 255\n"],
    ["x = [(a if b else c) for d in e]", "x = [(a if b else c) for d in e]\n"],
    ["x = [a if b else c for d in e]", "x = [(a if b else c) for d in e]\n"],
    ["a[(b, c)], d[1:2, ...]", "a[b, c], d[1:2, (...)]\n"],
    ["(a or b) and not (c == d)", "(a or b) and not c == d\n"],
    ["-1 ** -2, (-1) ** 2", "-1 ** -2, (-1) ** 2\n"],
    ["f((x for x in y)); g((x for x in y), 1)", "f(x for x in y)\ng((x for x in y), 1)\n"],
    ["lambda a, *b, c=1, **d: (a, b)", "lambda a, *b, c=1, **d: (a, b)\n"],
    ["if a: b\nelif c: d\nelse: e", "if a:\n    b\nelif c:\n    d\nelse:\n    e\n"],
    ["def f(a: int=1) -> str: pass\nx", "def f(a: int=1) ->str:\n    pass\n\n\nx\n"],
    ["x = 'it' \"'s\"", 'x = "it\'s"\n'],
    ["x = f'{a!r:>{b}} {{}}'", "x = f'{a!r:>{b}} {}'\n"],
    ["'''a\nb'''", '"""a\nb"""\n'],
    ["del (a, b), c", "del (a, b), c\n"],
    ["", ""],
    ["df \\", "df\n"],
    ["if a:\n  b\n\\", "if a:\n    b\n"],
  ])("prints %j as astor does", (code, expected) => {
    expect(print(code)).toBe(expected);
  });

  it("breaks long lines inside brackets", () => {
    expect(print(`plot(${Array.from({ length: 12 }, (_, at) => `argument_${at}`).join(", ")})`)).toBe(
      "plot(argument_0, argument_1, argument_2, argument_3, argument_4, argument_5,\n" +
        "    argument_6, argument_7, argument_8, argument_9, argument_10, argument_11)\n",
    );
  });
});

describe("parsePython", () => {
  it.each([
    "print 'x'",
    "%time x",
    "a := 1",
    "f(a=1, 2)",
    "f(a=1, a=2)",
    "f(x for x in y, 1)",
    "None = 1",
    "f() = 1",
    "  x = 1",
    "def f(a=1, b): pass",
    "[*a for a in b]",
    "try: a\nexcept: b\nexcept C: d",
    "return *a, b",
    "f'{}'",
    "f'{a b}'",
    "'\\x1'",
    "b'a' 'b'",
    "if a:\nb",
    "x = 0777",
  ])("refuses %j, as Python 3.7 does", (code) => {
    expect(() => parsePython(code)).toThrow();
  });

  it.each(["async def f(): await g()", "x: int", "(yield)", "a[::]", "return", "*a, b = c", "nonlocal x"])(
    "accepts %j",
    (code) => {
      expect(parsePython(code)).toHaveLength(1);
    },
  );
});

describe("readLiteral", () => {
  it.each([
    ["1", "1.0"],
    ["True", "1"],
    ["(1, 'a')", "1, 'a'"],
    [" [1]", "[1,]"],
    ["{1: 2, 'a': 3}", "{'a': 3, 1: 2.0}"],
    ["{1, 2}", "{2, 1, 1}"],
    ["'a' 'b'", "'ab'"],
    ["1 + 0j", "1"],
    ["1_000", "1e3"],
  ])("takes %s and %s for equal", (a, b) => {
    expect(keyOf(readLiteral(a)!)).toBe(keyOf(readLiteral(b)!));
  });

  it.each([
    ["1", "'1'"],
    ["[1]", "(1,)"],
    ["'a'", "b'a'"],
    ["None", "0"],
  ])("distinguishes %s from %s", (a, b) => {
    expect(keyOf(readLiteral(a)!)).not.toBe(keyOf(readLiteral(b)!));
  });

  it.each(["a", "--1", "1 - 2", "2020-01-31", "{[1]: 2}", "f''", "1\n ", "", "1 2"])(
    "reads no literal in %j",
    (text) => {
      expect(readLiteral(text)).toBeNull();
    },
  );
});

const LISTED_SETS: [members: string[], listed: string[]][] = [
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [
    ["range", "print", "i"],
    ["print", "range", "i"],
  ],
  [
    ["df", "x", "y", "df"],
    ["y", "df", "x"],
  ],
  [
    ["größe", "変数", "😀", "a"],
    ["変数", "a", "😀", "größe"],
  ],
  [
    [
      "n0",
      "n1",
      "n2",
      "n3",
      "n4",
      "n5",
      "n6",
      "n7",
      "n8",
      "n9",
      "n10",
      "n11",
      "n12",
      "n13",
      "n14",
      "n15",
      "n16",
      "n17",
      "n18",
      "n19",
    ],
    [
      "n10",
      "n17",
      "n5",
      "n14",
      "n3",
      "n4",
      "n19",
      "n18",
      "n9",
      "n0",
      "n15",
      "n6",
      "n7",
      "n8",
      "n11",
      "n16",
      "n12",
      "n13",
      "n1",
      "n2",
    ],
  ],
  [[], []],
];

describe("orderOfSet", () => {
  // The order of `list({...})` in CPython 3.11 with PYTHONHASHSEED=0.
  it.each(LISTED_SETS)("lists %j as Python does", (members, expected) => {
    expect(orderOfSet(members)).toEqual(expected);
  });
});

describe("stripDocstrings", () => {
  it.each([
    ["x = 1  # one\n\n\ny = 2", "x = 1  \ny = 2"],
    ["def f():\n    'Words.'\n    return 'a'", "def f():\n    return 'a'"],
    ["'module'\nx = 'a'", "x = 'a'"],
    ["a = 1 + \\\n    2", "a = 1 +    2"],
    ["f(", "f("],
  ])("of %j is %j", (code, expected) => {
    expect(stripDocstrings(code)).toBe(expected);
  });
});
