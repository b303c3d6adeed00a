import { describe, expect, it } from "vitest";
import { allMetrics, parseMetric, RANKING_METRICS } from "../../../../src/evaluate/metrics/index.js";
import { scoreRun } from "../../../../src/evaluate/suites/celrec/celrec-score.js";
import { deduplicate, relevantCells } from "../../../../src/evaluate/suites/celrec/judge.js";
import { scoreCase, typingFigures } from "../../../../src/evaluate/suites/typing/typing-score.js";
import { prepareText } from "../../../../src/evaluate/text/prepare.js";
import { OUTCOMES, SEEDS } from "./sample.js";

const metrics = allMetrics(RANKING_METRICS, 3);
const views = scoreRun({ metrics, seeds: SEEDS, outcomes: OUTCOMES, indexSize: 10 });

describe("scoreRun", () => {
  it("averages over all queries, the empty list included", () => {
    // Queries of a: 1/3 and 3/3 of the places; b: 1/3, 0 (nothing came back), 2/3.
    expect(views.mps1["precision@3"]).toBeCloseTo(7 / 15, 12);
    expect(views.mps1["hit-rate@3"]).toBeCloseTo(4 / 5, 12);
    expect(Object.keys(views.mps1)).toEqual(metrics.map(({ name }) => name));
  });

  it("measures run-wide metrics once", () => {
    // a1 a2 a3 b1 b2 x y z of ten cells.
    expect(views.mps1["coverage@3"]).toBe(0.8);
    expect(views.mps1.ece).toBeCloseTo(0.5, 12);
  });

  it("counts every cell of the index once per query: relevant or not, returned or not", () => {
    expect(views.queries.map(({ confusion }) => confusion)).toEqual([
      { tp: 1, fp: 2, fn: 2, tn: 5 },
      { tp: 3, fp: 0, fn: 0, tn: 7 },
      { tp: 1, fp: 2, fn: 1, tn: 6 },
      // The list is empty. Ranks without a cell are not mistakes.
      { tp: 0, fp: 0, fn: 2, tn: 8 },
      { tp: 2, fp: 1, fn: 0, tn: 7 },
    ]);
    expect(views.confusion).toEqual({ tp: 7, fp: 5, fn: 5, tn: 33 });
  });

  it("correlates metrics with the number of lines", () => {
    const precision = views.sloc!.find(({ metric }) => metric === "precision@3")!;
    expect(precision.pearson.value).toBeCloseTo(7 / Math.sqrt(364), 12);
    expect(precision.spearman.value).toBeCloseTo(3.5 / Math.sqrt(85.5), 12);
    // Every bootstrap draw has seed a twice (1), seed b twice (1 / 2) or both.
    expect(precision.pearson.interval).toEqual([precision.pearson.value, 1]);
  });

  it("uses the rating scale of the protocol", () => {
    const scale = { relevantFrom: 4, unrelated: 1 };
    const strict = scoreRun({ metrics, seeds: SEEDS, outcomes: OUTCOMES, indexSize: 10, scale });
    // The mutants rated 3 no longer count: a has a1 and a2, b has b1.
    expect(strict.confusion).toEqual({ tp: 4, fp: 8, fn: 3, tn: 35 });
    expect(strict.mps1["precision@3"]).toBeCloseTo((0 + 2 / 3 + 1 / 3 + 0 + 1 / 3) / 5, 12);
    expect(strict.mps1["recall@3"]).toBeCloseTo((0 + 1 + 1 + 0 + 1) / 5, 12);
    expect(strict.ceiling["recall@3"]).toBeCloseTo(1, 12);
  });

  it("gives each seed its own means, best first", () => {
    expect(views.mps2.map(({ seed, lines }) => [seed, lines])).toEqual([
      ["a.py", 2],
      ["b.py", 3],
    ]);
    expect(views.mps2.map((row) => row["recall@3"])).toEqual([2 / 3, 1 / 2]);
  });

  it("groups by number of lines and by label, with unlabelled cells last", () => {
    expect(views.byLines.map(({ lines, queries }) => [lines, queries])).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
    ]);
    expect(views.byLines.map((row) => row["hit-rate@3"])).toEqual([1, 1 / 2, 1]);
    expect(views.byLabel.map(({ label, queries }) => [label, queries])).toEqual([
      ["ingest_data", 2],
      ["train_model", 2],
      [null, 1],
    ]);
  });

  it("reports which mutants were found", () => {
    expect(views.byOperator).toEqual([
      {
        operator: "rename-variables",
        mutant: 1,
        rating: 5,
        cells: 2,
        queries: 5,
        found: 3 / 5,
        meanRank: 4 / 3,
        byLabel: [
          { label: "ingest_data", queries: 2, found: 1 / 2 },
          { label: "train_model", queries: 2, found: 1 / 2 },
          { label: null, queries: 1, found: 1 },
        ],
      },
      expect.objectContaining({
        operator: "insert-comments",
        mutant: 2,
        rating: 4,
        cells: 1,
        queries: 2,
        found: 1 / 2,
      }),
      expect.objectContaining({ operator: "reverse-lines", mutant: 3, rating: 3, cells: 2, queries: 5, found: 3 / 5 }),
      expect.objectContaining({
        operator: "other-column",
        mutant: null,
        rating: 1,
        cells: 1,
        queries: 3,
        found: 1 / 3,
      }),
    ]);
  });

  it("has an interval for every mean and none for other figures", () => {
    const means = metrics.map(({ name }) => name).filter((name) => !/coverage|ece/.test(name));
    expect(Object.keys(views.ci95)).toEqual(means);
    for (const [low, high] of Object.values(views.ci95)) expect(low).toBeLessThanOrEqual(high);
    // With two seeds, a bootstrap draw has a twice, b twice, or both.
    expect(views.ci95["recall@3"]).toEqual([1 / 2, 2 / 3]);
  });

  it("computes the ceiling of one list for equal queries", () => {
    // The first queries of a and b are the same text. Seed a wants 3 cells and b 2, so they compete for one place.
    // The two queries of the group share 3 of 6 places, whatever the list; the others have 1, 2/3 and 2/3.
    expect(views.ceiling["precision@3"]).toBeCloseTo((1 + 1 + 2 / 3 + 2 / 3) / 5, 12);
    // The best list has both cells of b (1) and one of a (1/3).
    expect(views.ceiling["recall@3"]).toBeCloseTo((4 / 3 + 1 + 1 + 1) / 5, 12);
    expect(views.ceiling["mrr@3"]).toBeCloseTo((1.5 + 3) / 5, 12);
    expect(views.ceiling["hit-rate@3"]).toBe(1);
    expect(views.ceiling["ndcg@3"]).toBe(1);
    expect(Object.keys(views.ceiling)).not.toContain("diversity@3");
  });

  it("stores the parts of every query that the document needs", () => {
    expect(views.queries[2]).toEqual({
      id: "b.py:1",
      seed: "b.py",
      lines: 1,
      label: "train_model",
      results: [
        { id: "x", seed: null, mutant: null, rating: 1, score: 0.9 },
        { id: "b1", seed: "b.py", mutant: 1, rating: 5, score: 0.8 },
        { id: "y", seed: null, mutant: null, rating: 1, score: 0.7 },
      ],
      confusion: { tp: 1, fp: 2, fn: 1, tn: 6 },
    });
  });

  it("sums up the time of every stage", () => {
    expect(views.latency.total).toEqual({ mean: 3, p50: 3, p95: 4.8, p99: 4.96, max: 5 });
  });

  it("gives null for a metric without data", () => {
    const asked = ["diversity@3", "ece"].map((name) => parseMetric(name, { among: RANKING_METRICS }));
    const outcomes = OUTCOMES.map((outcome) => ({
      ...outcome,
      cosines: undefined,
      results: outcome.results.map(({ confidence: _, ...hit }) => hit),
    })).filter(({ results }) => results.length > 0);
    const bare = scoreRun({ metrics: asked, seeds: SEEDS, outcomes, indexSize: 10 });
    expect(bare.mps1).toEqual({ "diversity@3": null, ece: null });
    expect(bare.ci95).toEqual({});
  });
});

describe("relevantCells", () => {
  it("counts two equal mutants once, with the higher rating", () => {
    const mutants = [
      { mutant: 1, operator: "p", rating: 5, id: "one" },
      { mutant: 2, operator: "q", rating: 4, id: "two" },
      { mutant: 3, operator: "r", rating: 3, id: "one" },
    ];
    expect(relevantCells(mutants).map(({ id, rating }) => [id, rating])).toEqual([
      ["one", 5],
      ["two", 4],
    ]);
  });
});

describe("deduplicate", () => {
  it("keeps a cell at its first rank", () => {
    expect(deduplicate([{ id: "a" }, { id: "a" }, { id: "b" }, { id: "a" }])).toEqual([{ id: "a" }, { id: "b" }]);
  });
});

describe("typing", () => {
  const target = { rest: prepareText("m.fit(x)"), reference: prepareText("m = Ridge()\nm.fit(x)") };

  const hit = (code: string, adapted = code, insert = adapted) => ({
    code: prepareText(code),
    adapted: prepareText(adapted),
    insert: prepareText(insert),
    placed: prepareText(`\n${insert}`),
  });

  it("takes the best of the k separately for each metric, and the mean length", () => {
    const scores = scoreCase([hit("m.fit(x)"), hit("a.fit(Ridge(), b.predict())")], target);
    const all = { chrf: 1, callRecall: 1, callF1: 1, chrfAdapted: 1, insertChrf: 1, firstLine: 1 };
    expect(scores).toEqual({ ...all, undefinedNames: null, length: (8 + 27) / 2, useful: [true, true] });
  });

  it("reads the names of the user and the insertion if they are measured", () => {
    const { chrf, chrfAdapted, insertChrf, firstLine } = scoreCase([hit("q", "m.fit(x)", "p = 1")], target);
    expect([chrf, chrfAdapted, insertChrf, firstLine]).toEqual([0, 1, 0, 0]);
    expect(scoreCase([hit("q", "r", "m.fit(x)\nmore()")], target).firstLine).toBe(1);
    const above = { prefix: "m = Ridge()", preceding: ["x = 1"] };
    const { undefinedNames } = scoreCase([hit("q", "r", "m.fit(x)"), hit("q", "r", "m.fit(y)")], { ...target, above });
    expect(undefinedNames).toBe(0.5);
  });

  it("calls a hit useful if its call F1 is at least .5", () => {
    // Recall 1 and a precision of 1/3, 1/4: F1 is .5, then .4.
    const results = ["fit(a(b()))", "fit(a(b(c())))", "x = 1"].map((code) => hit(code));
    expect(scoreCase(results, target).useful).toEqual([true, false, false]);
    expect(scoreCase([], target).useful).toEqual([]);
    expect(scoreCase(results, { ...target, rest: prepareText("x = 1") }).useful).toBeNull();
  });

  it("leaves cases without calls out of the call metrics only", () => {
    const adapted = { chrfAdapted: 0.25, insertChrf: 0.5, firstLine: 1, undefinedNames: 0.5 };
    const first = { chrf: 0.5, callRecall: 1, callF1: 0.5, length: 10, confidences: [0.2], useful: [true] };
    const second = { chrf: 0.1, callRecall: null, callF1: null, length: 30, confidences: [0.05], useful: null };
    const figures = typingFigures(
      [
        { notebook: "a", ...first, ...adapted },
        { notebook: "a", ...second, ...adapted, firstLine: 0 },
      ],
      3,
    );
    expect(figures).toMatchObject({ chrf: 0.3, "call-recall": 1, "call-f1": 0.5, length: 20 });
    expect(figures).toMatchObject({
      "chrf-adapted": 0.25,
      "insert-chrf": 0.5,
      "first-line": 0.5,
      "undefined-names": 0.5,
    });
    expect(figures).toMatchObject({ "useful@3": 1, silent: 0.5 });
    expect(figures.ci95.chrf).toEqual([0.3, 0.3]);
  });
});
