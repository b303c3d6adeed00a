import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readJuiceCode } from "../../../../src/evaluate/published/juice.js";
import {
  BUILD_DEFAULTS,
  buildJuice,
  isEnglish,
  readJuiceCases,
} from "../../../../src/evaluate/suites/juice/juice-cases.js";
import { type JuiceNotebook, readRawNotebooks } from "../../../../src/evaluate/suites/juice/juice-notebooks.js";
import { readTrainFile, takeExamples } from "../../../../src/evaluate/suites/juice/juice-prepare.js";
import { describeJuice } from "../../../../src/evaluate/suites/juice/juice-statistics.js";
import { loadGrammar } from "../../../../src/python/grammar.js";

const folder = mkdtempSync(join(tmpdir(), "celrec-juice-"));
beforeAll(() => loadGrammar());
afterAll(() => rmSync(folder, { recursive: true }));

type Cell = { type: "markdown" | "code" | "other"; source: string };
const md = (source: string) => ({ type: "markdown" as const, source });
const code = (source: string) => ({ type: "code" as const, source });
const notebook = (...cells: Cell[]): JuiceNotebook => ({
  name: "a.ipynb",
  repo: ".",
  cells: cells.map((cell, index) => ({ ...cell, index })),
  solutions: new Set(),
});
const idsOf = (...cells: Cell[]) => buildJuice([notebook(...cells)]).map(({ id }) => id);

describe("buildJuice", () => {
  it("takes code below one Markdown cell, with up to ten cells above", () => {
    const built = buildJuice([
      notebook(md("# Title"), code("import os"), md("## Load"), md("the data"), code("x = 1\n")),
    ]);
    expect(built).toEqual([
      {
        ...{ id: "a.ipynb#1", notebook: "a.ipynb", kind: "plain", markdown: "# Title" },
        ...{ context: [], cellsAbove: 1, reference: "import os" },
      },
      {
        ...{ id: "a.ipynb#4", notebook: "a.ipynb", kind: "plain", markdown: "the data" },
        ...{ context: [md("# Title"), code("import os"), md("## Load")], cellsAbove: 4, reference: "x = 1" },
      },
    ]);
    const long = Array.from({ length: 7 }, (_, at) => [md("text"), code(`x = ${at}`)]).flat();
    expect(buildJuice([notebook(...long, md("last"), code("y"))]).at(-1)!.context).toHaveLength(10);
  });

  it("takes at most two cases per notebook, or the given number, evenly spread", () => {
    const many = notebook(...Array.from({ length: 9 }, (_, at) => [md(`text ${at}`), code(`x${at}`)]).flat());
    expect(buildJuice([many]).map(({ reference }) => reference)).toEqual(["x3", "x6"]);
    expect(buildJuice([many], { ...BUILD_DEFAULTS, perNotebook: 100 })).toHaveLength(9);
    expect(buildJuice([many], { ...BUILD_DEFAULTS, kinds: ["nbgrader"] })).toEqual([]);
  });

  it.each<[string, Cell[]]>([
    ["code without Markdown directly above", [md("a"), md("b"), { type: "other", source: "r" }, code("y")]],
    ["Markdown of white space", [md(" "), code("y")]],
    ["Markdown of another language", [md("Carregar os dados e não mostrar uma tabela"), code("y = 1")]],
    ["only comments", [md("t"), code("# only")]],
    ["code that Python 3.7 does not parse", [md("t"), code("print 1")]],
    ["magics", [md("t"), code("%matplotlib inline")]],
    ["two functions", [md("t"), code("def f(): pass\ndef g(): pass")]],
    ["a class", [md("t"), code("class A: pass")]],
    ["more than 15 API names", [md("t"), code(Array.from({ length: 16 }, (_, at) => `f${at}()`).join("\n"))]],
    ["more than 120 canonical tokens", [md("t"), code(`x = [${"1, ".repeat(60)}]`)]],
    ["a notebook with more than three code cells to a Markdown cell", [md("t"), ...["a", "b", "c", "d"].map(code)]],
  ])("leaves out %s", (_, cells) => {
    expect(idsOf(...cells)).toEqual([]);
  });

  it("accepts cases just within the rules", () => {
    expect(idsOf(md("t"), code("def f(): pass"), code("b"), code("c"))).toEqual(["a.ipynb#1"]);
    const long = Array.from({ length: 30 }, () => "x = 1").join("\n");
    // 30 lines of three tokens and 29 line breaks between them.
    expect(readJuiceCode(long)!.canonicalTokens).toHaveLength(119);
    expect(idsOf(md("t"), code(long))).toEqual(["a.ipynb#1"]);
    expect(idsOf(md("t"), code(`${long}\nx`))).toEqual([]);
  });

  it("has every pair of code and cells above once, with all strings treated as equal", () => {
    const twins = [notebook(md("Say it"), code("say('a')")), notebook(md("Say it"), code('say("b")  # again'))];
    expect(buildJuice(twins)).toHaveLength(1);
    expect(buildJuice([twins[0]!, notebook(md("Tell it"), code("say('a')"))])).toHaveLength(2);
  });
});

describe("isEnglish", () => {
  it.each([
    ["## Load the data", true],
    ["EDA", true],
    ["`código` of the model", true],
    ["", false],
    ["$$x^2$$", false],
    ["Wir laden die Daten und zeigen sie hier", false],
    ["Загрузим данные", false],
    ["Análise", false],
    ["Le modèle est dans la table", false],
  ])("says of %j: %j", (text, expected) => {
    expect(isEnglish(text)).toBe(expected);
  });
});

describe("JuICe's raw notebooks", () => {
  const { notebooks, rejected } = readRawNotebooks("test/fixtures/juice/raw.jsonl");

  it("are read in both forms", () => {
    expect(notebooks.map(({ name, repo, solutions }) => [name, repo, [...solutions]])).toEqual([
      ["lab/course/sums.ipynb", "lab/course", []],
      ["lab/course/sums_solution.ipynb", "lab/course", []],
      ["lab/grades/hw1.ipynb", "lab/grades", [3, 7]],
    ]);
    expect(rejected).toBe(1);
  });

  it("give cases for the cells that an exercise lacks, and for nbgrader cells with a solution", () => {
    const built = buildJuice(notebooks, { ...BUILD_DEFAULTS, kinds: ["nbgrader", "exercise"] });
    expect(built.map(({ id, kind, markdown }) => [id, kind, markdown])).toEqual([
      ["lab/course/sums_solution.ipynb#3", "exercise", "Add the numbers of the list."],
      ["lab/grades/hw1.ipynb#3", "nbgrader", "Write a function that doubles a number."],
    ]);
  });
});

describe("readJuiceCases", () => {
  const read = (...lines: object[]) => {
    const file = join(folder, "cases.jsonl");
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    return readJuiceCases(file);
  };

  it("reads the cases that it builds", () => {
    const built = buildJuice([notebook(md("# Title"), code("import os"), md("## Load"), code("x = 1"))]);
    expect(read(...built)).toEqual(built);
  });

  it("reads JuICe's released form: c1 alone is the Markdown, the nearest cell of the context comes first", () => {
    const [first, second] = readJuiceCases("test/fixtures/juice/test.jsonl");
    expect(first).toEqual({
      ...{ id: "line 1", notebook: "lab/course/week1.ipynb", markdown: "Load the table of ages", cellsAbove: 3 },
      context: [md("# Ages"), code("import pandas as pd")],
      reference: "df = pd.read_csv('ages.csv')\ndf.head()",
    });
    expect(second!.markdown).toBe("**Compute the mean age**");
    // Our canonical tokens are equal to those in the file.
    expect(readJuiceCode(first!.reference)!.canonicalTokens.slice(4, 9)).toEqual([
      ...["read_csv", "(", "'jupyter_string'", ")", "NEWLINE"],
    ]);
  });

  it("takes the words of the nearest Markdown even if a code cell is in between", () => {
    const line = { code: "x", nl: ["Draw", "it"], context: [{ cell_type: "code", code: "y" }] };
    expect(read(line)[0]).toMatchObject({ markdown: "Draw it", context: [code("y")], notebook: "line 1" });
    expect(read({ code: "x", context: [] })[0]).toMatchObject({ notebook: "line 1", markdown: "", context: [] });
  });

  it("refuses an empty file, and names an invalid line", () => {
    expect(() => read()).toThrow(/has no cases; make some with: celrec eval build juice/);
    expect(() => read({ code: 1 })).toThrow(/cases\.jsonl, line 1: /);
  });
});

describe("the train file", () => {
  const TRAIN = "test/fixtures/juice/train.jsonl";
  const pairs = async (size?: number) =>
    (await readTrainFile(TRAIN, size)).map(({ notebook: { cells } }) => cells.map(({ source }) => source));

  it("gives the Markdown directly above with the code", async () => {
    expect(await pairs()).toEqual([
      ["Load the table of sales", "sales = pd.read_csv('sales.csv')\nsales.head()"],
      ["Compute the mean price", "mean_price = sales['price'].mean()"],
      ["Draw a histogram", "plt.hist(x, bins=20)"],
    ]);
  });

  it("gives a subset: a smaller one is contained in a larger one", async () => {
    const [one, two] = [await pairs(1), await pairs(2)];
    expect([one.length, two.length]).toEqual([1, 2]);
    expect(two).toContainEqual(one[0]);
  });

  it("names a bad line, and a file that is missing", async () => {
    const file = join(folder, "train.jsonl");
    writeFileSync(file, '{"code": "x"}\n{');
    await expect(readTrainFile(file)).rejects.toThrow(/train\.jsonl, line 2 is not JSON/);
    await expect(readTrainFile(join(folder, "none.jsonl"))).rejects.toThrow(/cannot be read/);
  });
});

describe("takeExamples", () => {
  const named = {
    name: "a.ipynb",
    notebook: notebook(md("one"), code("a"), md("x"), md("two"), code("b"), code("c")),
  };

  it("keeps the given number of code cells with the Markdown directly above", () => {
    const sizes = [1, 2, 3, 9].map((size) =>
      takeExamples([named], size).flatMap(
        ({ notebook: { cells } }) => cells.filter(({ type }) => type === "code").length,
      ),
    );
    expect(sizes.flat()).toEqual([1, 2, 3, 3]);
    const all = takeExamples([named], 9)[0]!.notebook.cells.map(({ source }) => source);
    expect(all).toEqual(["one", "a", "two", "b", "c"]);
  });
});

describe("describeJuice", () => {
  it("has the figures of the paper's Table 2", () => {
    const cases = readJuiceCases("test/fixtures/juice/test.jsonl");
    expect(describeJuice(cases)).toEqual({
      cases: 2,
      notebooks: 1,
      "tokens of the code, mean": 12,
      "tokens of the code, maximum": 14,
      // df = pd . read_csv ( 'jupyter_string' ) NEWLINE head, mean_age [ ] mean
      "distinct tokens of code": 14,
      "words of the Markdown, mean": 4.5,
      "distinct words of Markdown": 8,
      "API calls, mean": 1.5,
      "distinct API names": 3,
      "cases with a def": 0,
      "cells above, mean": 4,
      "cells of the context, mean": 1.5,
      "share of code in the context": 2 / 3,
      "tokens of a code cell of the context, mean": 9,
    });
  });
});
