import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildJuice, readJuiceCases } from "../../../../src/evaluate/suites/juice/juice-cases.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-juice-"));
afterAll(() => rmSync(folder, { recursive: true }));

const md = (source: string) => ({ type: "markdown" as const, source });
const code = (source: string) => ({ type: "code" as const, source });
const notebook = (...cells: { type: "markdown" | "code" | "other"; source: string }[]) => ({
  name: "a.ipynb",
  notebook: { cells: cells.map((cell, index) => ({ ...cell, index })) },
});

describe("buildJuice", () => {
  it("takes code below Markdown, with all Markdown up to the cell before and up to ten cells above", () => {
    const built = buildJuice([
      notebook(md("# Title"), code("import os"), md("## Load"), md("the data"), code("x = 1\n")),
    ]);
    expect(built).toEqual([
      { id: "a.ipynb#1", notebook: "a.ipynb", markdown: "# Title", context: [], reference: "import os" },
      {
        id: "a.ipynb#4",
        notebook: "a.ipynb",
        markdown: "## Load\n\nthe data",
        context: [md("# Title"), code("import os")],
        reference: "x = 1",
      },
    ]);
    const long = notebook(...Array.from({ length: 12 }, (_, at) => code(`x = ${at}`)), md("text"), code("y"));
    expect(buildJuice([long])[0]!.context).toHaveLength(10);
  });

  it("takes no code without Markdown above, no comments alone, and at most two per notebook", () => {
    expect(
      buildJuice([
        notebook(code("x"), md(" "), code("y"), md("t"), code("# only"), md("t"), { type: "other", source: "r" }),
      ]),
    ).toEqual([]);
    const many = notebook(...Array.from({ length: 9 }, (_, at) => [md(`t${at}`), code(`x${at}`)]).flat());
    expect(buildJuice([many]).map(({ reference }) => reference)).toEqual(["x3", "x6"]);
  });
});

describe("readJuiceCases", () => {
  const read = (...lines: object[]) => {
    const file = join(folder, "cases.jsonl");
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    return readJuiceCases(file);
  };

  it("reads what it builds", () => {
    const built = buildJuice([notebook(md("# Title"), code("import os"), md("## Load"), code("x = 1"))]);
    expect(read(...built)).toEqual(built);
  });

  it("reads JuICe's own form, whose context has the nearest cell first", () => {
    const line = {
      code: "df.head()",
      code_tokens: ["df", ".", "head", "(", ")"],
      context: [
        { cell_type: "markdown", nl_original: "Look at it", nl: ["Look"], distance_target: 1 },
        { cell_type: "code", code: "df = load()", distance_target: 2 },
        { cell_type: "raw", distance_target: 3 },
        { cell_type: "markdown", nl_original: "Load", distance_target: 4 },
      ],
      metadata: { path: "repo/a.ipynb", stars: 3 },
    };
    expect(read(line)).toEqual([
      {
        id: "line 1",
        notebook: "repo/a.ipynb",
        markdown: "Look at it",
        context: [md("Load"), code("df = load()")],
        reference: "df.head()",
      },
    ]);
    expect(read({ code: "x", context: [] })[0]).toMatchObject({ notebook: "line 1", markdown: "", context: [] });
  });

  it("refuses an empty file, and names a line that is none", () => {
    expect(() => read()).toThrow(/has no cases; make some with: celrec eval build juice/);
    expect(() => read({ code: 1 })).toThrow(/cases\.jsonl, line 1: /);
  });
});
