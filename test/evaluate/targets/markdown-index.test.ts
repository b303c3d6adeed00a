import { describe, expect, it } from "vitest";
import { createBaselines, createMarkdownIndex } from "../../../src/evaluate/targets/baseline.js";

const md = (source: string) => ({ type: "markdown" as const, source });
const code = (source: string) => ({ type: "code" as const, source });
const CELLS = [
  md("Load the data"),
  code("load()"),
  code("other()"),
  md("# Part two"),
  md("Plot the Data!"),
  code("plot()"),
];

describe("createMarkdownIndex", () => {
  it("finds the code below the nearest Markdown by the cosine of tf-idf", () => {
    const index = createMarkdownIndex();
    index.add(CELLS);
    const found = index.search("plot data", 3);
    expect(found.map((each) => each.code)).toEqual(["plot()", "load()"]);
    // Two entries; `plot` and `load` are in one, `the` and `data` in both: ln(3/2) + 1 and 1.
    const rare = Math.log(3 / 2) + 1;
    const norm = Math.sqrt(rare ** 2 + 2);
    expect(found[0]!.score).toBeCloseTo((rare ** 2 + 1) / (norm * Math.sqrt(rare ** 2 + 1)), 12);
    expect(index.search("nothing alike", 3)).toEqual([]);
    // The heading above the Markdown cell does not count.
    expect(index.search("part", 3)).toEqual([]);
    expect(index.search("data", 1)).toHaveLength(1);
  });
});

describe("the baselines of JuICe", () => {
  const notebook = { name: "a.ipynb", notebook: { cells: CELLS.map((cell, index) => ({ ...cell, index })) } };
  const baselines = createBaselines(["ret-train", "ret-context", "bm25", "random"], [notebook]);
  const ask = async (name: string, markdown: string, above = [md("mean"), code("mean()")]) => {
    const query = { code: "", k: 1, context: { before: [], markdown }, above };
    return (await baselines.get(name)!.recommend(query)).hits.map((hit) => hit.code);
  };

  it("look in all notebooks, and in the cells above", async () => {
    expect(await ask("ret-train", "load")).toEqual(["load()"]);
    expect(await ask("ret-context", "the mean")).toEqual(["mean()"]);
    expect(await ask("ret-context", "the mean", [])).toEqual([]);
  });

  it("ask by the Markdown if nothing is typed", async () => {
    expect(await ask("bm25", "plot")).toEqual(["plot()"]);
    expect(await ask("random", "a")).toHaveLength(1);
  });
});
