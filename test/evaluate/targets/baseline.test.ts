import { describe, expect, it } from "vitest";
import { createBaseline, parseBaseline } from "../../../src/evaluate/targets/baseline.js";

const notebook = (name: string, sources: readonly string[]) => ({
  name,
  notebook: { cells: sources.map((source, index) => ({ index, type: "code" as const, source })) },
});
const CELLS = [
  notebook("a.ipynb", ["import pandas as pd", "df.head()", "model.fit(X, y)"]),
  notebook("b.ipynb", ["df.head()", "# only words", "plt.plot(history.loss)"]),
];

async function ask(
  name: Parameters<typeof createBaseline>[0],
  code: string,
  k = 2,
  context?: { before: string[]; markdown: string },
) {
  const target = createBaseline(name);
  await target.add(CELLS);
  const { hits } = await target.recommend({ code, k, ...(context && { context }) });
  return hits.map((hit) => hit.code);
}

describe("the baselines", () => {
  it("bm25 finds the cell that shares the rarest words", async () => {
    expect((await ask("bm25", "model.fit(train_X"))[0]).toBe("model.fit(X, y)");
  });

  it("bm25-context also uses the cell above and the Markdown", async () => {
    expect(await ask("bm25-context", "", 1, { before: [], markdown: "plot the history" })).toEqual([
      "plt.plot(history.loss)",
    ]);
    // If nothing is typed, the Markdown is the query.
    expect(await ask("bm25", "", 1, { before: [], markdown: "plot the history" })).toEqual(["plt.plot(history.loss)"]);
  });

  it("ret-train and ret-context use the cell most like the last one if there is no Markdown", async () => {
    const context = { before: ["df.head(10)"], markdown: "" };
    expect(await ask("ret-train", "", 1, context)).toEqual(["model.fit(X, y)"]);
    const above = ["df.head()", "df.mean()", "df.head(10)"].map((source) => ({ type: "code", source }));
    const { hits } = await createBaseline("ret-context").recommend({ code: "", k: 1, context, above });
    expect(hits.map(({ code }) => code)).toEqual(["df.mean()"]);
  });

  it("popular returns the most frequent cells for any query", async () => {
    expect(await ask("popular", "zzz", 2)).toEqual(["df.head()", "import pandas as pd"]);
  });

  it("random draws the same distinct cells for the same query, at most all of them", async () => {
    const drawn = await ask("random", "x", 3);
    expect(drawn).toEqual(await ask("random", "x", 3));
    expect(new Set(drawn).size).toBe(3);
    expect((await ask("random", "x", 100)).length).toBe(4);
  });

  it("has names of its own, and refuses others", () => {
    expect(parseBaseline("baseline:bm25")).toBe("bm25");
    expect(parseBaseline("http://localhost")).toBeNull();
    expect(() => parseBaseline("baseline:best")).toThrow(
      /baseline:bm25, baseline:bm25-context, baseline:popular, baseline:random/,
    );
  });
});
