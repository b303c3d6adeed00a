import { describe, expect, it } from "vitest";
import { bleu } from "../../../src/evaluate/metrics/bleu.js";
import { em } from "../../../src/evaluate/metrics/em.js";
import type { PredictedCase } from "../../../src/evaluate/predictions/prediction-result.js";
import {
  measureCases,
  measuresOf,
  scoreInsertion,
  scorePrediction,
} from "../../../src/evaluate/predictions/prediction-score.js";
import { prepareText } from "../../../src/evaluate/text/prepare.js";

const METRICS = [bleu, em];
const score = (codes: string[], wanted: string) => {
  const reference = prepareText(wanted);
  return scorePrediction(METRICS, codes.map(prepareText), { rest: reference, reference });
};
const toCase = (id: string, notebook: string, codes: string[], wanted: string): PredictedCase => ({
  id,
  notebook,
  copy: false,
  results: [],
  ...score(codes, wanted),
});

describe("scorePrediction", () => {
  it("scores the first result as prediction, and the best of all results", () => {
    const { values, counts } = score(["y = 2", "x = f(1)"], "x = f(1)");
    expect(values).toEqual({ em: 0, "best-em": 1 });
    expect(counts["best-bleu"]).toEqual([6, 5, 4, 3, 6, 5, 4, 3, 6, 6]);
    expect(counts.bleu!.slice(-2)).toEqual([3, 6]);
  });

  it("counts a case without results", () => {
    expect(score([], "x = 1")).toEqual({
      values: { em: 0, "best-em": 0 },
      counts: { bleu: [0, 0, 0, 0, 0, 0, 0, 0, 0, 3], "best-bleu": [0, 0, 0, 0, 0, 0, 0, 0, 0, 3] },
    });
  });
});

describe("measureCases", () => {
  const cases = [
    toCase("1", "a", ["x = f(1)"], "x = f(1)"),
    toCase("2", "a", ["x = f(1)"], "x = f(1)"),
    toCase("3", "b", [], "x = f(1)"),
  ];

  it("adds up the counts of all cases, and averages the other metrics", () => {
    const { metrics, ci95 } = measureCases(measuresOf(METRICS), cases);
    expect(Object.keys(metrics)).toEqual(["bleu", "em", "best-bleu", "best-em"]);
    // 12 predicted tokens, all correct, against 18 tokens in the references.
    expect(metrics.bleu).toBeCloseTo(Math.exp(1 - 18 / 12), 12);
    expect(metrics.em).toBeCloseTo(2 / 3, 12);
    // Bootstrap: in a draw of notebook a alone, everything is right. In a draw of b alone, nothing is right.
    expect(ci95.bleu).toEqual([0, 1]);
    expect(ci95.em).toEqual([0, 1]);
  });

  it("has no figures without cases", () => {
    expect(measureCases(measuresOf([em]), [])).toEqual({ metrics: { em: null, "best-em": null }, ci95: {} });
  });
});

describe("scoreInsertion", () => {
  const above = ["import pandas as pd\ntable = pd.read_csv(path)"];
  const score = (hit: { code: string; adapted?: string } | undefined, cells = above) =>
    scoreInsertion(hit, cells)["undefined-names"];

  it("finds undefined names in the code that would be inserted", () => {
    expect(score({ code: "df.head()" })).toBe(1);
    expect(score({ code: "df.head()", adapted: "table.head()" })).toBe(0);
    expect(score({ code: "df = pd.DataFrame()\ndf.head()" })).toBe(0);
  });

  it("leaves out cases without a prediction or with a star import above", () => {
    expect(score(undefined)).toBeNull();
    expect(score({ code: "df.head()" }, ["from tools import *"])).toBeNull();
  });
});
