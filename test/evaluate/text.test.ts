import { beforeAll, describe, expect, it } from "vitest";
import { outputValue } from "../../src/evaluate/metrics/output-em.js";
import { callNames } from "../../src/evaluate/text/call-names.js";
import { characterGrams, chrF } from "../../src/evaluate/text/character-grams.js";
import { dataFlow } from "../../src/evaluate/text/data-flow.js";
import { codeTokens, longestCommon } from "../../src/evaluate/text/ngrams.js";
import { dropCommentLines } from "../../src/evaluate/text/prepare.js";
import { readSyntaxTree } from "../../src/evaluate/text/syntax-tree.js";
import { loadGrammar } from "../../src/python/grammar.js";

describe("callNames", () => {
  it.each([
    ["df = pd.read_csv(path)", ["read_csv"]],
    ["m = Ridge(alpha=f(1)).fit(X).predict(Z)", ["Ridge", "f", "fit", "predict"]],
    ["print(len(x)); s = ', '.join(format(y)); a.append('{}'.format(z))", []],
    ["sum(x); df.sum()", ["sum"]],
    ["def fit(self): return go(self)", ["go"]],
    ["class Net(nn.Module):\n    def __init__(self): super().__init__()", ["__init__"]],
    ["if (a): pass\nx = (b)\nreturn(c)", []],
    ["'call(me)'; f'{not_me(1)}'  # nor(me)", []],
    ["%timeit run(1)\ngo(2)", ["go"]],
    ["plot (x)\nfit(a); fit(b)", ["plot", "fit"]],
    ["for i in ran", []],
    ["score(X,", ["score"]],
    ["", []],
  ])("of %j", (code, names) => {
    expect([...callNames(code)]).toEqual(names);
  });
});

describe("dropCommentLines", () => {
  it("drops comment lines and no others", () => {
    expect(dropCommentLines("# a\nx = 1  # b\n   # c\n\ny = '#'\n#")).toBe("x = 1  # b\n\ny = '#'");
  });
});

describe("chrF", () => {
  const of = (given: string, wanted: string) => chrF(characterGrams(given), characterGrams(wanted));

  it("is 1 for equal texts, whatever the white space, and 0 without a common character", () => {
    expect(of("a = 1\n", "a=1")).toBe(1);
    expect(of("abc", "xyz")).toBe(0);
    expect(of("", "abc")).toBe(0);
    expect(of("abc", "")).toBe(0);
  });

  it("counts a shared n-gram by the smaller of both counts", () => {
    // 1-grams: 2 of 3 and 2 of 2; 2-grams: 1 of 2 and 1 of 1. P (2/3 + 1/2) / 2, R 1.
    expect(of("aaa", "aa")).toBeCloseTo((5 * (7 / 12)) / (4 * (7 / 12) + 1), 12);
  });

  it("counts code points, not halves of them", () => {
    // One of two characters, and no common pair: P = R = (1/2 + 0) / 2.
    expect(of("😀a", "😀b")).toBeCloseTo(1 / 4, 12);
  });
});

describe("outputValue", () => {
  it.each([
    ["Mean age: 29.699", "29.70"],
    ["accuracy = .5", "0.50"],
    ["The mean is 3.14159 years", "3.14"],
    ["rows 10, columns 3", "10.00 3.00"],
    ["np.float64(0.12345)", "0.12"],
    ["(np.int64(3), np.float64(2.5))", "3.00 2.50"],
    ["-0.001", "0.00"],
    ["1e-3", "0.00"],
    ["2.675e2", "267.50"],
    ["True", "True"],
    ["column x1 only", "column x1.00 only"],
    ["['a', 'b']", "['a', 'b']"],
    // In a table, only the words are content.
    ["a    1.005\nb    2", "a 1.00\nb 2.00"],
    ["n: 3\nmean: 2.5\n", "3.00\n2.50"],
    ["", ""],
  ])("reads %j as %j", (output, value) => {
    expect(outputValue(output)).toBe(value);
  });

  // If the work grew with the square of the length, none of these calls would ever end.
  it.each([
    ["digits that are no number", `${"1".repeat(1e6)}x`, `${"1".repeat(1e6)}x`],
    ["digits before a dash", `x ${"1".repeat(1e6)}-`, `x ${"1".repeat(1e6)}-`],
    ["white space", `a${" ".repeat(1e6)}|x`, "a |x"],
    ["tabs", `a${"\t".repeat(1e6)}|x`, "a |x"],
  ])("reads a million of %s", (_, output, value) => {
    expect(outputValue(output) === value).toBe(true);
  });
});

describe("codeTokens", () => {
  it("leaves out comments and line breaks, and parts strings at white space", () => {
    expect(codeTokens("x = f('a b')  # why\n\ny")).toEqual(["x", "=", "f", "(", "'a", "b'", ")", "y"]);
  });

  it.each([
    ["%matplotlib inline\ny", ["%", "matplotlib", "inline", "y"]],
    ["!ls -l", ["!", "ls", "-", "l"]],
    ["x = a \\\n  + b", ["x", "=", "a", "+", "b"]],
    ["# note \\\nx", ["x"]],
    // `tokenize` raises here: the end of the text is inside a statement.
    ["f('a b', x", ["f", "(", "'a", "b'", ",", "x"]],
  ])("reads %j as Python's tokenize does", (code, words) => {
    expect(codeTokens(code)).toEqual(words);
  });
});

describe("longestCommon", () => {
  it.each([
    ["", "abc", 0],
    ["abc", "abc", 3],
    ["axbyc", "abc", 3],
    ["abc", "cba", 1],
    ["abcbdab", "bdcaba", 4],
  ])("of %j and %j is %i", (a, b, expected) => {
    expect(longestCommon([...a], [...b])).toBe(expected);
  });
});

describe("dataFlow", () => {
  beforeAll(loadGrammar);
  const flows = (code: string) => dataFlow(readSyntaxTree(code)!);

  it.each([
    // b is computed from a, which comes from nowhere.
    ["b = a", ["computed 1 <- 0", "comes 0 <- "]],
    // Every name of a pair gets its own value.
    ["x, y = a, b", ["computed 1 <- 0", "computed 3 <- 2", "comes 0 <- ", "comes 2 <- "]],
    ["f(a)\nf(a)", ["comes 0 <- ", "comes 1 <- ", "comes 0 <- 0", "comes 1 <- 1"]],
    ["pass", []],
    ["f(1)", []],
  ])("of %j", (code, expected) => {
    expect(flows(code)).toEqual(expected);
  });

  it("merges branches, and feeds the end of a loop into its start", () => {
    // The sources of `s` are listed in the order of a Python set, which depends on the names.
    const loop = ["computed 1 <- 0", "comes 0 <- 0", "computed 2 <- 2 1", "comes 2 <- 2", "comes 1 <- 1"];
    expect(flows("for i in r:\n    s = s + i")).toEqual(loop);
    expect(flows("if a:\n    b = a\nc = b")).toContain("comes 1 <- 1");
  });

  it("depends on how names are used, not on the names", () => {
    expect(flows("y = x + x")).toEqual(flows("total = price + price"));
    expect(flows("y = x + x")).not.toEqual(flows("y = x + z"));
  });
});

describe("readSyntaxTree", () => {
  beforeAll(loadGrammar);

  it("gives up on trees too deep to read", () => {
    expect(readSyntaxTree(`x = ${"a + ".repeat(1_000)}a`)).not.toBeNull();
    expect(readSyntaxTree(`x = ${"a + ".repeat(5_000)}a`)).toBeNull();
  });

  it("reads cells with magics as the package codebleu does, which knows none", () => {
    const { root } = readSyntaxTree("%matplotlib inline\nx = 1")!;
    expect(root.children.map(({ type }) => type)).toEqual(["ERROR", "expression_statement", "expression_statement"]);
  });

  it("has no token for a backslash that escapes nothing, as the package codebleu has none", () => {
    const stringIn = (code: string) => readSyntaxTree(code)!.root.children[0]!.children[0]!.children[1]!;
    expect(stringIn(String.raw`"$\mu$"`).children).toEqual([]);
    expect(stringIn(String.raw`"$\n$"`).children.map(({ type }) => type)).toEqual(["escape_sequence"]);
  });
});
