import { describe, expect, it } from "vitest";
import { measureFit, preferFitting } from "../../src/recommend/runtime-fit.js";

describe("measureFit", () => {
  const runtime = { variables: { df: "DataFrame", y: "Series" }, above: "df['age'].mean()  # by city" };

  it.each([
    ["df.head()", 1],
    ["pd.concat([df, other])", 1 / 2],
    ["model.fit(X, y)", 1 / 3],
    // The cell needs no name, so its fit is 0.
    ["import os\nos.listdir()", 0],
    ["df = pd.read_csv('a.csv')\ndf.head()", 0],
    // Only columns that the notebook mentions count.
    ["df['age'].max()", 1],
    ["df['price'].max()", 1 / 2],
    ["df[['age', 'city', 'price']].max()", 3 / 4],
  ])("of %j is the share of the needed names and columns that exist, modules apart", (code, expected) => {
    expect(measureFit(code, runtime)).toBeCloseTo(expected, 12);
  });
});

describe("preferFitting", () => {
  const hit = (id: string, score: number) => ({ id, score, confidence: null, why: () => ({}) });

  it("adds the bonus of the fit to the score, and orders ties by id", () => {
    const fits = new Map([
      ["a", { runtime: 0, expected: 0 }],
      ["b", { runtime: 1, expected: 0 }],
      ["c", { runtime: 0, expected: 0.5 }],
    ]);
    const ranked = preferFitting([hit("a", 5), hit("b", 4), hit("c", 4)], (id) => fits.get(id));
    expect(ranked.map(({ id, score }) => [id, score])).toEqual([
      ["b", 8],
      ["c", 8],
      ["a", 5],
    ]);
  });

  it("ranks unchecked candidates after the checked ones", () => {
    const ranked = preferFitting([hit("a", 9), hit("b", 5), hit("c", 4)], (id) =>
      id === "c" ? { runtime: 0, expected: 0 } : undefined,
    );
    expect(ranked.map(({ id }) => id)).toEqual(["c", "a", "b"]);
  });
});
