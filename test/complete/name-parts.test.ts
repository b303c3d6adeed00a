import { describe, expect, it } from "vitest";
import { overlap, partsOf, stemMatch, topicOf, wordsOf } from "../../src/complete/name-parts.js";

describe("the parts of names", () => {
  it.each([
    ["X_train2", ["x", "train", "2"]],
    ["DecisionTreeClassifier", ["decision", "tree", "classifier"]],
    ["'test.csv'", ["test", "csv"]],
    ["__", []],
  ])("%s", (name, parts) => {
    expect(partsOf(name)).toEqual(parts);
  });

  it("leaves short and empty words out of sentences, and repetitions", () => {
    expect(wordsOf("# Drop the rows with missing values, drop them")).toEqual(["drop", "rows", "missing", "values"]);
  });

  it("reads the end of the Markdown above", () => {
    expect(topicOf(`${"Introduction ".repeat(40)}\n## Correlation of features`)).toContain("correlation");
    expect(topicOf(`# Correlation\n${"text ".repeat(60)}`)).toEqual(["text"]);
  });
});

describe("comparing names", () => {
  it("counts equal parts", () => {
    expect(overlap(["x", "train"], ["y", "train"])).toBe(0.5);
    expect(overlap(["x"], ["x"])).toBe(1);
    expect(overlap([], ["x"])).toBe(0);
  });

  it.each([
    ["dropna", "drop", 1],
    ["predict", "pred", 1],
    ["plotting", "plots", 1],
    ["correlation", "corr", 1],
    ["describe", "desktop", 0],
    ["fit", "fitting", 0],
    ["loc", "log", 0],
  ])("%s has the stem of %s: %d", (name, word, expected) => {
    expect(stemMatch(partsOf(name), [word])).toBe(expected);
  });
});
