import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { mutators } from "../../../../mutators/index.js";
import { openLabeller } from "../../../../src/app/parts.js";
import { parseConfig } from "../../../../src/config.js";
import { readDataSet, writeDataSet } from "../../../../src/evaluate/suites/celrec/celrec-dataset.js";
import { drawSeeds } from "../../../../src/evaluate/suites/celrec/draw-seeds.js";
import { chooseDistractors, cleanedTexts, makePlan } from "../../../../src/evaluate/suites/celrec/plan.js";
import { PAPER_PROTOCOL, type Recipe, resolveProtocol } from "../../../../src/evaluate/suites/celrec/protocol.js";
import type { Labeller } from "../../../../src/label/labeller.js";
import { cellId } from "../../../../src/notebook/extract.js";
import type { NamedNotebook } from "../../../../src/notebook/notebook.js";
import { loadGrammar } from "../../../../src/python/grammar.js";

let recipe: Recipe;
let labeller: Labeller;
beforeAll(async () => {
  await loadGrammar();
  recipe = await resolveProtocol({ ...PAPER_PROTOCOL, hardNegatives: ["other-column"] }, mutators);
  labeller = await openLabeller(parseConfig({}));
});

const notebook = (name: string, ...sources: string[]): NamedNotebook => ({
  name,
  notebook: { cells: sources.map((source, index) => ({ index, type: "code", source })) },
});

const NOTEBOOKS = [
  notebook("a.ipynb", "x = load('a')\ny = x.sum()", "# only a comment", "for broken in", "print(1)"),
  notebook("b.ipynb", "df = pd.read_csv('b.csv')\ndf.head()", "x = load('a')  # again\ny = x.sum()"),
  notebook("c.ipynb", Array.from({ length: 21 }, (_, at) => `v${at} = ${at}`).join("\n")),
  notebook("d.ipynb", "%matplotlib inline\n%load_ext autoreload"),
];

describe("drawSeeds", () => {
  const draw = (notebooks: readonly NamedNotebook[], count: number) =>
    drawSeeds(notebooks, count, { recipe, labeller }).map(({ id }) => id);

  it("draws short parsable cells that have all mutants, each text once", () => {
    // Four cells are no seeds: print(1) has no name to change, and the others are too long, a comment, and broken.
    expect(draw(NOTEBOOKS, 10)).toEqual(["a.ipynb#0", "b.ipynb#0", "d.ipynb#0"]);
  });

  it("does not depend on the order of reading or on file names", () => {
    expect(draw(NOTEBOOKS.toReversed(), 10)).toEqual(draw(NOTEBOOKS, 10));
    const renamed = NOTEBOOKS.map((one) => ({ ...one, name: `z-${one.name}` }));
    expect(draw(renamed, 1)).toEqual(draw(NOTEBOOKS, 1).map((id) => `z-${id}`));
  });

  it("takes a second seed of a notebook only after one of every notebook", () => {
    const pairs = ["p", "q", "r"].map((name) =>
      notebook(`${name}.ipynb`, `${name}1 = f(1)\n${name}1.g()`, `${name}2 = f(2)\n${name}2.g()`),
    );
    const notebooks = draw(pairs, 3).map((id) => id.split("#")[0]);
    expect(notebooks).toEqual(["p.ipynb", "q.ipynb", "r.ipynb"]);
    expect(draw(pairs, 6)).toHaveLength(6);
  });
});

describe("a data set", () => {
  const make = () => {
    const protocol = { ...PAPER_PROTOCOL, hardNegatives: ["other-column"] };
    const plan = makePlan(drawSeeds(NOTEBOOKS, 10, { recipe, labeller }), recipe, labeller);
    const distractors = chooseDistractors(NOTEBOOKS, cleanedTexts(plan));
    const folder = join(mkdtempSync(join(tmpdir(), "celrec-dataset-")), "set");
    return { protocol, plan, distractors, folder, counts: writeDataSet(folder, { protocol, plan, distractors }) };
  };
  const linesOf = (folder: string, name: string) =>
    readFileSync(join(folder, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("is read back as it was written", () => {
    const { folder, protocol, plan, distractors, counts } = make();
    expect(counts).toEqual({ seeds: 3, queries: 6, mutants: 9, distractors: 3 });
    const read = readDataSet(folder);
    expect(read.protocol).toEqual(protocol);
    expect(read.plan.seeds).toEqual(
      plan.seeds.map(({ seed: { id, source }, ...planned }) => ({
        ...planned,
        seed: { id, source },
        // The folder does not name operators that changed nothing.
        unchanged: [],
        failed: [],
      })),
    );
    expect(read.distractors.hash).toBe(distractors.hash);
  });

  it("has everything needed for scoring: queries, mutants with operators and rating, judgements", () => {
    const { folder } = make();
    const code = "new_x = new_load('a')\nnew_y = new_x.sum()";
    expect(linesOf(folder, "mutants.jsonl")[0]).toEqual({
      ...{ id: cellId(code), seed: "a.ipynb#0", mutant: 1, operators: ["rename-variables"], rating: 5, code },
    });
    expect(linesOf(folder, "queries.jsonl")[0]).toEqual({
      ...{ id: "a.ipynb#0#1", seed: "a.ipynb#0", lines: 1, code: "x = load('a')" },
    });
    const qrels = readFileSync(join(folder, "qrels.txt"), "utf8").trimEnd().split("\n");
    expect(qrels).toHaveLength(6 * 3);
    expect(qrels[0]).toBe(`a.ipynb#0#1 0 ${cellId(code)} 5`);
  });

  it("keeps distractors that equal no seed and no mutant", () => {
    const { folder } = make();
    expect(
      linesOf(folder, "distractors.jsonl")
        .map(({ code }) => code.slice(0, 8))
        .sort(),
    ).toEqual(["for brok", "print(1)", "v0 = 0\nv"]);
  });

  it("does not overwrite an existing one", () => {
    const { folder, protocol, plan, distractors } = make();
    expect(() => writeDataSet(folder, { protocol, plan, distractors })).toThrow(/give a new folder/);
  });

  it("is refused if a file was changed", () => {
    const { folder } = make();
    const file = join(folder, "mutants.jsonl");
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.replace("new_load", "new_road"));
    expect(() => readDataSet(folder)).toThrow(/mutants\.jsonl: the code of [0-9a-f]+ has the id/);
    writeFileSync(file, whole.split("\n").slice(1).join("\n"));
    expect(() => readDataSet(folder)).toThrow(/mutants\.jsonl has 8 lines, dataset\.json says 9/);
    writeFileSync(file, whole.replaceAll('"seed":"a.ipynb#0"', '"seed":"nobody"'));
    expect(() => readDataSet(folder)).toThrow(/seeds\.jsonl has no seed nobody/);
    expect(() => readDataSet(tmpdir())).toThrow(/is not a data set.*celrec eval build celrec/);
  });
});
