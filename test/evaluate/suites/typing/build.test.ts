import { describe, expect, it } from "vitest";
import { buildTyping } from "../../../../src/evaluate/suites/typing/typing-cases.js";

const code = (...lines: string[]) => ({ type: "code" as const, source: lines.join("\n") });
const markdown = (source: string) => ({ type: "markdown" as const, source });
const book = (name: string, cells: readonly { type: "code" | "markdown"; source: string }[]) => ({
  name,
  notebook: { cells: cells.map((cell, index) => ({ ...cell, index })) },
});

const SIX = code("a = 1", "", "b = 2", "c = 3", "d = f(a)", "e = g(b)", "print(e)");

describe("building typing cases", () => {
  it("types the first third and the first half in turn, without blank lines", () => {
    const [first, second] = buildTyping([book("x.ipynb", [SIX]), book("y.ipynb", [SIX])]);
    expect(first).toMatchObject({
      id: "x.ipynb#0",
      fraction: 1 / 3,
      prefix: "a = 1\nb = 2",
      rest: "c = 3\nd = f(a)\ne = g(b)\nprint(e)",
    });
    expect(second).toMatchObject({ id: "y.ipynb#0", fraction: 1 / 2, prefix: "a = 1\nb = 2\nc = 3" });
    expect(first!.reference).toBe(SIX.source);
  });

  it("leaves out short cells, cells of comments, and cells whose rest calls nothing", () => {
    const cells = [
      code("a = 1", "f()"),
      code("# a", "# b", "f()"),
      code("f()", "a = 1", "b = 2"),
      code("a = 1", "b = 2", "def f(x):"),
    ];
    expect(buildTyping([book("x.ipynb", cells)])).toEqual([]);
  });

  it("takes at most two cells of a notebook, at one and two thirds of it", () => {
    const cells = Array.from({ length: 9 }, (_, at) => code(`x = ${at}`, "y = 2", "f(x)"));
    expect(buildTyping([book("x.ipynb", cells)]).map(({ cell_index }) => cell_index)).toEqual([3, 6]);
  });

  it("gives the Markdown directly above and up to five cells before, the nearest last", () => {
    const before = Array.from({ length: 7 }, (_, at) => code(`x${at} = 1`));
    const [found] = buildTyping([
      book("x.ipynb", [markdown("far"), ...before, markdown("near"), markdown("nearer"), SIX]),
    ]);
    expect(found).toMatchObject({
      markdown: "near\n\nnearer",
      preceding: ["x2 = 1", "x3 = 1", "x4 = 1", "x5 = 1", "x6 = 1"],
    });
  });

  it("has no Markdown if a code cell is in between", () => {
    const [found] = buildTyping([book("x.ipynb", [markdown("far"), code("x = 1"), SIX])]);
    expect(found).toMatchObject({ markdown: "", preceding: ["x = 1"] });
  });
});
