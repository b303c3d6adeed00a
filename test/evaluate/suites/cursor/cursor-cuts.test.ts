import { describe, expect, it } from "vitest";
import { buildCursor, insideCuts, lineCuts } from "../../../../src/evaluate/suites/cursor/cursor-cases.js";

const cutsOf = (code: string) =>
  insideCuts(code, 0).map(({ kind, at, end }) => [kind, code.slice(0, at), code.slice(at, end)]);

describe("cuts inside a line", () => {
  it("follow each of the seven kinds, including typed spaces", () => {
    expect(cutsOf("x = f(a, 'b').c  # why")).toEqual([
      ["equals", "x = ", "f(a, 'b').c"],
      ["bracket", "x = f(", "a, 'b').c"],
      ["comma", "x = f(a, ", "'b').c"],
      ["quote", "x = f(a, '", "b').c"],
      ["dot", "x = f(a, 'b').", "c"],
    ]);
    expect(cutsOf("import os")).toEqual([["import", "import ", "os"]]);
  });

  it("go through names of three letters and more, at the position of the turn", () => {
    const code = "data = ab";
    expect(insideCuts(code, 0)[0]).toEqual({ kind: "name", at: 1, end: 9 });
    expect(insideCuts(code, 2)[0]).toEqual({ kind: "name", at: 3, end: 9 });
    expect(insideCuts(code, 3)[0]).toEqual({ kind: "name", at: 1, end: 9 });
  });

  it.each([
    ["nothing after the position on the line", "f(a,\n  b)", ["bracket", "f(", "a,"]],
    ["a comment after the position", "f(a,  # first\n  b)", ["bracket", "f(", "a,"]],
    ["an empty string", "f('')", ["bracket", "f(", "'')"]],
    ["a comparison", "a == f(b)", ["bracket", "a == f(", "b)"]],
  ])("are not made if there is %s", (_, code, only) => {
    expect(cutsOf(code)).toEqual([only]);
  });

  it("are not in comments, magics, longer strings and foreign cells", () => {
    expect(cutsOf("# f(a, b)\n%time f(a)\n'''x = (1,\n y)'''")).toEqual([]);
    expect(cutsOf("%%bash\nls -l (a, b)")).toEqual([]);
  });
});

describe("cuts at line boundaries", () => {
  it("are the starts of the lines of code but the first", () => {
    const code = "# top\na = 1\n\n# why\nif a:\n    b = 2  # two\n";
    expect(lineCuts(code).map(({ at, end }) => [code.slice(0, at), code.slice(at, end)])).toEqual([
      ["# top\na = 1\n\n# why\n", "if a:"],
      ["# top\na = 1\n\n# why\nif a:\n", "    b = 2"],
    ]);
  });
});

const notebook = (...sources: string[]) => ({
  name: "n.ipynb",
  notebook: { cells: sources.map((source, index) => ({ index, type: "code" as const, source })) },
});

describe("cases", () => {
  it("are two per cell, and prefix, rest and suffix are the cell", () => {
    const cases = buildCursor([notebook("import os", "a = os.listdir('x')\nprint(a)  # all\n")]);
    expect(cases.map(({ id, kind }) => [id, kind])).toEqual([
      ["n.ipynb#0:inside", "import"],
      ["n.ipynb#1:line", "line"],
      ["n.ipynb#1:inside", expect.stringMatching(/^(dot|bracket|equals|quote|name)$/)],
    ]);
    for (const each of cases.slice(1)) {
      expect(each.prefix + each.rest + each.suffix).toBe("a = os.listdir('x')\nprint(a)  # all");
      expect(each.preceding).toEqual(["import os"]);
    }
    expect(cases[1]).toMatchObject({ prefix: "a = os.listdir('x')\n", rest: "print(a)", suffix: "  # all" });
  });

  it("are the same in every run, and can be fewer per notebook", () => {
    const all = notebook("x = f(1)", "y = g(2)", "z = h(3)");
    expect(buildCursor([all])).toEqual(buildCursor([all]));
    expect(buildCursor([all], 1).map(({ id }) => id)).toEqual(["n.ipynb#1:inside"]);
  });
});
