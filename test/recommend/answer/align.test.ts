import { describe, expect, it } from "vitest";
import { alignLines, haveSameShape } from "../../../src/recommend/answer/align.js";
import { createHitAdapter } from "../../../src/recommend/answer/answer.js";
import { readSourceLines } from "../../../src/recommend/answer/source-lines.js";

/** The paired rows as `typed>cell`, with `~` for similar lines, and the rest of a line that continues. */
const align = (typed: string, cell: string, isAtLineStart = false) =>
  alignLines(readSourceLines(typed).rows, readSourceLines(cell).rows, isAtLineStart).map((pair) => {
    const rest = pair.restStart === undefined ? "" : `|${cell.slice(pair.restStart).split("\n")[0]}`;
    return `${pair.typed.row}>${pair.cell.row}${pair.isSameShape || rest !== "" ? "" : "~"}${rest}`;
  });

describe("aligned lines", () => {
  it("are equal, differ in names, or in values", () => {
    expect(align("a = f(1)", "x\na = f(1)\ny()")).toEqual(["0>1"]);
    expect(align("a = f(1)", "b = f(1)\nc()")).toEqual(["0>0"]);
    expect(align("a = f(1)", "b = f(2)\nc()")).toEqual(["0>0"]);
    expect(align("a = f(1)", "b = g(1)\nc()")).toEqual([]);
  });

  it("prefer equal lines, then other names, then other values", () => {
    expect(align("a = f(1)", "b = f(2)\nb = f(1)\na = f(1)\nz()")).toEqual(["0>2"]);
    expect(align("a = f(1)", "b = f(1)\nb = f(2)\nz()")).toEqual(["0>0"]);
  });

  it("keep their order, and the last typed line counts most", () => {
    expect(align("a.one()\na.two()", "b.two()\nb.one()\nz()")).toEqual(["1>0"]);
    expect(align("p.a(1)\np.b(2)\np.c(3)", "q.a(1)\nq.b(2)\nq.c(3)\nq.a(1)\nz()")).toEqual(["0>0", "1>1", "2>2"]);
  });

  it("may be similar among the last three if half of the words are shared", () => {
    expect(align("m.fit(x).score(y, normal=1)", "m.fit(x, y).score(y, z)\nz()")).toEqual(["0>0~"]);
    expect(align("m.fit(x)", "m.predict(x, y).score()\nz()")).toEqual([]);
    const typed = (count: number) => `m.fit(x).score(y, normal=1)${"\nq()".repeat(count)}`;
    expect(align(typed(2), "m.fit(x, y).score(y, z)\nz()")).toEqual(["0>0~"]);
    expect(align(typed(3), "m.fit(x, y).score(y, z)\nz()")).toEqual([]);
  });

  it("do not pair a last line that is only similar: it is what the cell adds", () => {
    expect(align("m.fit(x).score(y, normal=1)", "a()\nm.fit(x, y).score(y, z)")).toEqual([]);
  });

  it.each([
    ["df.he", "df.head()", ["0>0|ad()"]],
    ["data.he", "df.head()", ["0>0|ad()"]],
    ["f(a, ", "f(b, c)", ["0>0~"]],
    ["f(a", "f(b, c)", ["0>0|, c)"]],
    ["x = a +", "y = b + c", ["0>0| c"]],
    ["x = a", "y = b + c", []],
    ["return", "return x", ["0>0~"]],
    ["import", "import os", ["0>0| os"]],
    ["f(a, a", "f(b, c, d)", ["0>0|, d)"]],
    ["f(a, b", "f(c, c, d)", []],
    ["f.g(", "f.h(1)", []],
    ["f(1", "f('a', 2)", []],
  ])("continue after the typed part: %s in %s", (typed, cell, expected) => {
    expect(align(typed, `${cell}\nlast()`)).toEqual(expected);
    expect(align(typed, `${cell}\nlast()`, true).join("")).not.toContain("|");
  });

  it("are looked for in the last 40 typed lines and the first 400 of the cell", () => {
    const padding = (count: number) => "pad()\n".repeat(count);
    expect(align(`own.a(1)\n${padding(39)}`, "own.a(1)\nz()")).toEqual(["0>0"]);
    expect(align(`own.a(1)\n${padding(40)}`, "own.a(1)\nz()")).toEqual([]);
    expect(align("own.a(1)", `${padding(399)}own.a(1)\nz()`)).toEqual(["0>399"]);
    expect(align("own.a(1)", `${padding(400)}own.a(1)\nz()`)).toEqual([]);
  });
});

describe("limits of an answer", () => {
  it("read the last 20,000 typed characters, and compare no cell that is longer", () => {
    const help = (typed: string, cell: string) => createHitAdapter(typed, {})(cell);
    expect(help(`${"#".repeat(19_999)}\nf(1)`, "f(1)\ng(2)").insert).toBe("g(2)");
    const long = `f(1)\n# ${"x".repeat(20_000)}`;
    expect(help("f(1)", long)).toEqual({
      matched: [],
      insert: long,
      continuesLine: false,
      excerpt: [
        { line: 0, text: "f(1)" },
        { line: 1, text: `# ${"x".repeat(20_000)}` },
      ],
      adapted: { code: long, insert: long, renamed: {} },
      added: long,
      continuesTyped: false,
      withOrigins: expect.any(Function),
    });
    const atLimit = `f(1)\n# ${"x".repeat(20_000 - 7)}`;
    expect([atLimit.length, help("f(1)", atLimit).matched]).toEqual([20_000, [{ start: 0, end: 1 }]]);
  });

  it("look for names in the five nearest cells before, 4,000 characters of each", () => {
    const own = "clf = RandomForestClassifier()\nclf.fit(features, target)";
    const renamed = (before: string[]) =>
      createHitAdapter("plt.figure()", { before })("plt.figure()\nmodel.fit(X, y)").adapted.renamed;
    const found = { model: "clf", X: "features", y: "target" };
    expect(renamed([own, "1", "2", "3", "4"])).toEqual(found);
    expect(renamed([own, "1", "2", "3", "4", "5"])).toEqual({});
    expect(renamed([`${"#".repeat(3_900)}\n${own}`])).toEqual(found);
    expect(renamed([`${"#".repeat(4_000)}\n${own}`])).toEqual({});
  });

  it("leave out comments that are already typed, and blank lines at both ends", () => {
    const { insert } = createHitAdapter("f(1)\n# then", {})("f(1)\n\n# then\n\n# more\ng(2)\n\n");
    expect(insert).toBe("# more\ng(2)");
  });

  it("indent lines by the difference to the typed line", () => {
    expect(createHitAdapter("f(1)", {})("if a:\n    f(1)\n    g(2)\n  \n    h(3)").insert).toBe("g(2)\n\nh(3)");
    expect(createHitAdapter("  f(1)", {})("f(1)\nif b:\n    g(2)").insert).toBe("  if b:\n      g(2)");
    expect(createHitAdapter("    q(9)", {})("g(2)").insert).toBe("    g(2)");
  });
});

describe("two lines", () => {
  const areAlike = (left: string, right: string, isLoose = false) => {
    const [own, other] = [readSourceLines(left).rows[0]!, readSourceLines(right).rows[0]!];
    return haveSameShape(own, other, own.tokens.length, isLoose);
  };

  it("have the same shape if their free names correspond one by one", () => {
    expect(areAlike("x = f(y, x, 'a', key=z.b)", "p = f(q, p, 'a', key=r.b)")).toBe(true);
    expect(areAlike("x = f(y, x, 'a', key=z.b)", "p = f(q, q, 'a', key=r.b)")).toBe(false);
    expect(areAlike("x = f(y, z)", "p = f(q, q)")).toBe(false);
  });

  it("do not if they call another function, have another keyword, attribute or value, or a value instead of a name", () => {
    expect(areAlike("x = f(y)", "x = g(y)")).toBe(false);
    expect(areAlike("x = f(key=y)", "x = f(word=y)")).toBe(false);
    expect(areAlike("x = y.a", "x = y.b")).toBe(false);
    expect(areAlike("x = f('a')", "x = f('b')")).toBe(false);
    expect(areAlike("y = x", "y = 1")).toBe(false);
  });

  it("may differ in values if that is allowed", () => {
    expect(areAlike("x = f('a', 2)", "y = f('b', 3)", true)).toBe(true);
    expect(areAlike("x = f('a')", "y = f(2)", true)).toBe(true);
    expect(areAlike("y = x", "y = 1", true)).toBe(false);
  });
});
