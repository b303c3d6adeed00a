import { describe, expect, it } from "vitest";
import { parses } from "../../src/python/grammar.js";
import { maskMagics, type TokenKind, tokenize } from "../../src/python/tokenize.js";
import { findGap } from "./properties.js";

const tokens = (code: string) =>
  tokenize(code)
    .filter(({ kind }) => kind !== "newline")
    .map(({ kind, text }) => `${kind} ${text}`);
const ofKind = (code: string, wanted: TokenKind) =>
  tokenize(code).flatMap(({ kind, text }) => (kind === wanted ? [text] : []));

describe("tokenize", () => {
  it.each<[string, string[]]>([
    ["", []],
    [" \t ", []],
    ["x = 1", ["name x", "operator =", "number 1"]],
    ["for i in π_2: pass", ["keyword for", "name i", "keyword in", "name π_2", "operator :", "keyword pass"]],
    ["match = case", ["name match", "operator =", "name case"]],
    ["a**=b//c", ["name a", "operator **=", "name b", "operator //", "name c"]],
    ["(a:=b)->c", ["operator (", "name a", "operator :=", "name b", "operator )", "operator ->", "name c"]],
    [
      "0xFF 1_000 1e-3 .5 2j 0b1 0o7 1.",
      ["0xFF", "1_000", "1e-3", ".5", "2j", "0b1", "0o7", "1."].map((text) => `number ${text}`),
    ],
    ["10L 0777 a<>b", ["number 10L", "number 0777", "name a", "operator <>", "name b"]],
    ["x[...] # all", ["name x", "operator [", "operator ...", "operator ]", "comment # all"]],
    ["foob'x'", ["name foob", "string 'x'"]],
    ["'a' 'b'", ["string 'a'", "string 'b'"]],
    ["print `a`", ["name print", "operator `", "name a", "operator `"]],
    ["a\0b 😀 \ud800“", ["name a", "other \0", "name b", "other 😀", "other \ud800", "other “"]],
  ])("reads %j", (code, expected) => {
    expect(tokens(code)).toEqual(expected);
  });

  it("gives the offset of each token", () => {
    expect(tokenize("a =\n 'b'")).toEqual([
      { kind: "name", text: "a", start: 0, end: 1 },
      { kind: "operator", text: "=", start: 2, end: 3 },
      { kind: "newline", text: "\n", start: 3, end: 4 },
      { kind: "string", text: "'b'", start: 5, end: 8 },
    ]);
  });
});

describe("magics", () => {
  it.each<[string, string[]]>([
    ["%matplotlib inline", ["%matplotlib inline"]],
    ["%timeit -n 1 f(x)  # why", ["%timeit -n 1 f(x)  # why"]],
    ["a = 1\n%time f(a)\nb = 2", ["%time f(a)"]],
    ["!pip install 'a # b", ["!pip install 'a # b"]],
    ["if a:\n    !pip install b\n    c = 1", ["!pip install b"]],
    ["x = !ls", ["!ls"]],
    ["x = !ls  # all", ["!ls  # all"]],
    ["x = %timeit -o f()", ["%timeit -o f()"]],
    ["df.head?", ["?"]],
    ["df.head??  \nx = 1", ["??"]],
    ["*int*?", ["?"]],
    ["?df", ["?df"]],
    ["??df.head", ["??df.head"]],
    ["%timeit?", ["%timeit?"]],
    ["!ls \\\n  -l\nx = 1", ["!ls \\\n  -l"]],
    ["%cd ~\n%ls", ["%cd ~", "%ls"]],
    ["f(\n!ls\n)", ["!ls"]],
  ])("of %j are %j", (code, expected) => {
    expect(ofKind(code, "magic")).toEqual(expected);
    expect(parses(code)).toBe(false);
  });

  it.each([
    '"%s" \\\n% name',
    'x = ("%d"\n     % n)',
    'print("%s %s"\n% (a, b))',
    "x = a \\\n  %b",
    "a != b",
    "x = (a\n!= b)",
    "a = b if c else d",
    "'''\n%time x\n!ls\n'''",
    "# %time x\n# !ls",
    "a %= 3",
    '"%s" \\\r\n% name',
  ])("are not in %j", (code) => {
    expect(ofKind(code, "magic")).toEqual([]);
    expect(parses(code)).toBe(true);
  });

  it("leave string formatting of the same cell alone", () => {
    const code = '!pip install x\ns = "%s" \\\n  % name\nt = ("%d"\n  % n)\n%time f(s)\nu = a \\\n!= b';
    expect(ofKind(code, "magic")).toEqual(["!pip install x", "%time f(s)"]);
    expect(parses(maskMagics(code))).toBe(true);
  });

  it("start again after a comment that ends with a backslash", () => {
    expect(ofKind("# a \\\n!ls", "magic")).toEqual(["!ls"]);
  });
});

describe("cell magics", () => {
  it.each([
    "%%time",
    "%%timeit -n 10",
    "%%capture out",
    "%%prun",
    "  %%time",
    "\n\n%%time",
    "# a remark\n%%time",
    "%%some_magic -x",
  ])("leave Python in the body of %j", (head) => {
    const magic = head.trim().replace(/^# a remark\n/, "");
    expect(tokens(`${head}\nx = 1  # one`).filter((token) => token !== "comment # a remark")).toEqual([
      `magic ${magic}`,
      "name x",
      "operator =",
      "number 1",
      "comment # one",
    ]);
  });

  it("leave half-typed Python in the body of an unknown one", () => {
    expect(tokens("%%some_magic\nx = f(a,  # one")).toEqual([
      "magic %%some_magic",
      "name x",
      "operator =",
      "name f",
      "operator (",
      "name a",
      "operator ,",
      "comment # one",
    ]);
  });

  it("may have line magics in their body", () => {
    expect(ofKind("%%time\n!ls\nx = !pwd\ndf?", "magic")).toEqual(["%%time", "!ls", "!pwd", "?"]);
  });

  it.each([
    "%%bash\nls # all\n\necho 'it",
    "%%sh\nls",
    "%%shell\nls # all",
    "%%R -i df\nx <- 1 # one",
    "%%html\n<b># a</b>",
    "%%javascript\nvar a = '#'",
    "%%writefile a.py\nx = 1 # one",
    "%%sql\nselect 1 # one",
    "%%cython\ncdef int x # one",
    "%%unheard_of\nnot python at all # x",
    "%%unheard_of\n<b># a</b>",
    "%%unheard_of\nselect a from b # x",
    "%%bash",
    "%%",
  ])("make one magic of %j", (code) => {
    expect(tokens(code)).toEqual([`magic ${code}`]);
  });

  it("may follow comments, which stay comments", () => {
    expect(tokens("#@title Files\n\n# all\n%%bash\nls # all")).toEqual([
      "comment #@title Files",
      "comment # all",
      "magic %%bash\nls # all",
    ]);
  });
});

describe("maskMagics", () => {
  it.each<[string, string]>([
    ["a = 1", "a = 1"],
    ["!ls\na", "0  \na"],
    ["x = !ls", "x = 0  "],
    ["df?", "df "],
    ["%timeit?", "0       "],
    ["!a \\\n b", "0   \n  "],
    ["if a:\n  !b", "if a:\n  0 "],
    ["%%bash\nls\n", "0     \n  \n"],
    ["# c\n%%time\nx # y", "# c\n0     \nx # y"],
  ])("makes %j into %j", (code, masked) => {
    expect(maskMagics(code)).toBe(masked);
    expect(parses(masked)).toBe(true);
  });
});

describe("parses", () => {
  it.each<[string, boolean]>([
    ["", true],
    ["a = 1  # one", true],
    ['print "a"', true],
    ["a = 1 \\\n# c", true],
    ["def f(:", false],
    ["a = ", false],
    ["!ls", false],
    ["'a # b", false],
  ])("of %j is %s", (code, expected) => {
    expect(parses(code)).toBe(expected);
  });

  it("gives up on brackets deeper than Python allows, and still works afterwards", () => {
    expect(parses(`${"(".repeat(200)}a${")".repeat(200)}`)).toBe(true);
    expect(parses(`${"(".repeat(201)}a${")".repeat(201)}`)).toBe(false);
    // This text overflowed the parser's stack and broke the parser permanently.
    expect(parses(`x${"(%%time\n".repeat(3000)}`)).toBe(false);
    expect(parses("a = 1")).toBe(true);
  });

  it("gives up on a line that is continued a hundred thousand times", () => {
    expect(parses(`a = 1 + ${"\\\n".repeat(50)} 2`)).toBe(true);
    expect(parses(`a = 1 + ${"\\\n".repeat(100_000)} 2`)).toBe(false);
  });

  it("reads a function after thousands of comment lines", () => {
    expect(parses(`def f():\n${"    # a = b\n".repeat(10_000)}    return 1`)).toBe(true);
  });
});

/** Some of these once took minutes or broke the stack; the test checks that they return, complete. */
describe("hostile text", () => {
  const SIZE = 256 * 1024;
  const units = [
    "(",
    "[{(",
    ")]}",
    '"',
    "'\"",
    '"""',
    "\\",
    "\\\n",
    "#\n",
    "# a\n",
    "f'{\\\"'",
    "f'{",
    "{:",
    "%",
    "?",
    "= !",
    " ",
    "\n",
    "\0",
    "\ud800",
    "not ",
  ];

  it.each(units.flatMap((unit) => ["", "!a\n"].map((start) => [start, unit] as const)))(
    "of %j and many %j is read",
    (start, unit) => {
      const code = start + unit.repeat(SIZE / unit.length);
      expect(findGap(code, tokenize(code))).toBe(null);
    },
  );

  it.each(["f'", 'f"""', "t'", "rf'''"])("of %j with many unfinished fields is read", (start) => {
    for (const unit of ["{:", '{\\"', "{", "{f'", '{"', "{a ", "{(", "{#"]) {
      const code = start + unit.repeat(32_768 / unit.length);
      expect(findGap(code, tokenize(code))).toBe(null);
    }
  });

  it("with a cell magic on every line is read", () => {
    const code = "%%foo\n".repeat(20_000);
    expect(ofKind(code, "magic").length).toBe(20_000);
  });

  it.each<[string, string]>([
    ["a magic", `!${"a".repeat(10_000_000)}`],
    ["a name that is not Latin", "\u044f".repeat(10_000_000)],
    ["comments before a cell magic", `${"# a\n".repeat(500_000)}%%bash`],
  ])("of millions of letters in %s is read", (_, code) => {
    const read = tokenize(code).filter(({ kind }) => kind !== "comment");
    expect(read.at(-1)!.end).toBe(code.length);
    expect(read.length).toBe(1);
  });
});
