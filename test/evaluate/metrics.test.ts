import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bleu, brevityPenalty } from "../../src/evaluate/metrics/bleu.js";
import { codebleu, codebleuParts } from "../../src/evaluate/metrics/codebleu.js";
import { pairCosines } from "../../src/evaluate/metrics/diversity.js";
import {
  allMetrics,
  betterOf,
  DEFAULT_RANKING_METRICS,
  METRICS,
  parseMetric,
  RANKING_METRICS,
} from "../../src/evaluate/metrics/index.js";
import {
  type Corpus,
  type JudgedHits,
  type ListMetric,
  type PooledMetric,
  type RankedList,
  scoreResults,
  type TypedCase,
} from "../../src/evaluate/metrics/metric.js";
import { prepareText } from "../../src/evaluate/text/prepare.js";

const IDEAL = [5, 4, 3];
const list = (...ratings: number[]): RankedList => ({ ratings, ideal: IDEAL });
const log2 = Math.log2;

/** Expected values, worked out by hand: [list, k, value] by metric. */
const LISTS: Record<string, readonly (readonly [RankedList, number, number | null])[]> = {
  precision: [
    [list(), 3, 0],
    [list(1, 3, 1), 3, 1 / 3],
    [list(5, 4), 3, 2 / 3],
    [list(1, 3, 5), 2, 1 / 2],
    [list(5, 4, 3, 1), 4, 3 / 4],
  ],
  recall: [
    [list(), 3, 0],
    [list(1, 3, 1), 3, 1 / 3],
    [list(5, 4, 3), 2, 2 / 3],
    [{ ratings: [5, 1, 1], ideal: [5] }, 3, 1],
    [{ ratings: [1, 1, 1], ideal: [] }, 3, 0],
  ],
  f1: [
    [list(), 3, 0],
    [list(1, 3, 1), 3, 1 / 3],
    // P 1/2, R 1/3: 2 * 1/6 / (5/6)
    [list(5, 1), 2, 2 / 5],
    [{ ratings: [5, 1, 1], ideal: [5] }, 3, 1 / 2],
    // Results after the cutoff do not count.
    [list(5, 1, 4), 2, 2 / 5],
  ],
  ap: [
    [list(), 3, 0],
    [list(1, 1, 1), 3, 0],
    [list(1, 3, 1), 3, 1 / 2],
    [list(4, 5, 3), 3, 1],
    [list(5, 1, 4), 3, (1 + 2 / 3) / 2],
    [list(5, 1, 4), 2, 1],
  ],
  "map-cut": [
    [list(), 3, 0],
    [list(1, 1, 1), 3, 0],
    [list(1, 3, 1), 3, 1 / 2 / 3],
    [list(5, 1, 4), 3, (1 + 2 / 3) / 3],
    [list(5, 1, 4), 2, 1 / 3],
    [list(5, 4, 3), 2, 2 / 3],
    [{ ratings: [1, 1, 1], ideal: [] }, 3, 0],
  ],
  ndcg: [
    [list(), 3, 0],
    [list(1, 1, 1), 3, 1],
    [list(1, 3, 1), 3, (1 + 7 / log2(3) + 1 / 2) / (7 + 1 / log2(3) + 1 / 2)],
    [list(5, 4, 3), 3, 1],
    [list(4, 5), 3, (15 + 31 / log2(3)) / (31 + 15 / log2(3))],
    [list(4, 3, 5), 2, 1],
  ],
  "ndcg-published": [
    [list(), 3, 0],
    [list(1, 3, 1), 3, (1 + 7 / log2(3) + 1 / 2) / (31 + 15 / log2(3) + 7 / 2)],
    [list(5, 4, 3), 3, 1],
    [list(5, 4, 3), 1, 1],
    [{ ratings: [5, 1, 1], ideal: [5] }, 3, 1],
    [{ ratings: [1, 1, 1], ideal: [] }, 3, 0],
  ],
  "ndcg-ideal": [
    [list(), 3, 0],
    [list(1, 1, 1), 3, 0],
    [list(1, 3, 1), 3, 7 / log2(3) / (31 + 15 / log2(3) + 7 / 2)],
    [list(4), 1, 15 / 31],
    [list(4, 5), 1, 15 / 31],
    [{ ratings: [5, 1, 1], ideal: [5] }, 3, 1],
    [{ ratings: [1, 1, 1], ideal: [] }, 3, 0],
  ],
  mrr: [
    [list(), 3, 0],
    [list(1, 1, 3), 3, 1 / 3],
    [list(1, 1, 3), 2, 0],
    [list(1, 3, 5), 3, 1 / 2],
  ],
  "hit-rate": [
    [list(), 3, 0],
    [list(1, 1, 3), 3, 1],
    [list(1, 1, 3), 2, 0],
  ],
  diversity: [
    [list(), 3, 0],
    [list(5), 3, 0],
    [{ ...list(5, 1, 1), cosines: [0.9, 0.3, 0.6] }, 3, 1 - 0.6],
    [{ ...list(5, 1, 1), cosines: [0.9, 0.3, 0.6] }, 2, 1 - 0.9],
    [list(5, 4), 3, null],
  ],
};

const answers = (...lists: [id: string, rating: number, confidence?: number][][]): Corpus["answers"] =>
  lists.map((results) => ({
    results: results.map(([id, rating, confidence]) => ({ id, rating, confidence: confidence ?? null })),
  }));

const CORPORA: Record<string, readonly (readonly [Corpus, number, number | null])[]> = {
  coverage: [
    [
      {
        indexSize: 8,
        answers: answers(
          [
            ["a", 5],
            ["b", 1],
          ],
          [
            ["b", 4],
            ["c", 1],
          ],
          [],
        ),
      },
      2,
      3 / 8,
    ],
    [
      {
        indexSize: 8,
        answers: answers(
          [
            ["a", 5],
            ["b", 1],
          ],
          [
            ["b", 4],
            ["c", 1],
          ],
          [],
        ),
      },
      1,
      2 / 8,
    ],
    [{ indexSize: 8, answers: [] }, 3, 0],
    [{ indexSize: 0, answers: [] }, 3, null],
  ],
  ece: [
    // Bin [.9, 1]: 2 hits, 1 relevant, mean .95: |.5 - .95| * 2/3. Bin [.2, .3): 1 hit, none relevant: .25 * 1/3.
    [
      {
        indexSize: 8,
        answers: answers(
          [
            ["a", 5, 0.9],
            ["b", 1, 1],
          ],
          [
            ["c", 1, 0.25],
            ["d", 5],
          ],
        ),
      },
      3,
      1.15 / 3,
    ],
    [{ indexSize: 8, answers: answers([["a", 5, 1]]) }, 3, 0],
    [{ indexSize: 8, answers: answers([["a", 5]], []) }, 3, null],
  ],
};

const typed = (rest: string, before = ""): TypedCase => ({
  rest: prepareText(rest),
  reference: prepareText(before + rest),
});
const FIT = typed("# now fit\nmodel.fit(X)\nprint(model.score(X))", "model = Ridge()\n");

const TEXTS: Record<string, readonly (readonly [string[], TypedCase, number | null])[]> = {
  chrf: [
    [[], typed("ab"), 0],
    [["a b"], typed("ab"), 1],
    [["zz", "# a comment\na\nb"], typed("# another\nab"), 1],
    // 1-grams: P 2/3, R 1; 2-grams: P 1/2, R 1; `ab` has no 3-grams. P 7/12, R 1: 5 * 7/12 / (4 * 7/12 + 1).
    [["abc"], typed("ab"), 35 / 40],
  ],
  "chrf-clean": [
    [[], typed("ab"), 0],
    [["# a comment\na\nb"], typed("# another\nab"), 1],
    [["abc"], typed("ab"), 35 / 40],
  ],
  "call-recall": [
    [[], FIT, 0],
    [["m.fit(a)"], FIT, 1 / 2],
    [["m.fit(a)", "m.score(b)\nm.fit(a)"], FIT, 1],
    [["m.fit(a)"], typed("x = print(1)"), null],
    [[], typed("x = 1"), null],
  ],
  "call-f1": [
    [[], FIT, 0],
    [["print(a)"], FIT, 0],
    // The recall is 1/2. `fit` and `Ridge` are in the cell, and `predict` is not: 2/3.
    [["m = Ridge()\nm.fit(a)\nm.predict(b)"], FIT, (2 * (1 / 2) * (2 / 3)) / (1 / 2 + 2 / 3)],
    [["m.fit(a)"], typed("x = 1"), null],
  ],
  em: [
    [[], typed("x = 1"), 0],
    [["x =  1\n"], typed("x = 1"), 1],
    [["y", " x\n=\t1 "], typed("x = 1"), 1],
    [["x=1"], typed("x = 1"), 0],
  ],
  "em-canonical": [
    [[], typed("x = 1"), 0],
    [["x=f( 'a' )  # why"], typed('x = f("b")'), 1],
    [["y", "x = 1"], typed("x = 1"), 1],
    [["x = 2"], typed("x = 1"), 0],
    // Neither text is Python 3.7, so their tokens are compared.
    [["%time f('a')"], typed("%time f('a')"), 1],
  ],
  "sentence-bleu-canonical": [
    [[], typed("x = 1"), 0],
    [["x"], typed("x"), 1],
    // f ( ) against g ( ): three tokens, so three orders: 2/3, 1/2, a half of 1.
    [["f()"], typed("g()"), ((2 / 3) * (1 / 2) * (1 / 2)) ** (1 / 4)],
    [["y", "x = 1"], typed("x = 1"), 1],
  ],
  "rouge-l": [
    [[], typed("x = 1"), 0],
    [["+"], typed("x = 1"), 0],
    [["x = 1"], typed("="), 0],
    // The names are a, b2, c and a, c, d. Two of three are in both.
    [["A.b2(c)"], typed("a(c, d)"), 2 / 3],
    // `a_b` is two words, so a, b is compared with b, a, b.
    [["a_b"], typed("b a b"), 4 / 5],
  ],
  "api-recall": [
    [[], typed("m.fit(x)"), 0],
    [["m.fit(a)"], typed("Ridge().fit(x)\nrange(3)"), 1 / 2],
    [["x.append(1)"], typed("y.append(2)"), 1],
    [["m.fit(a)"], typed("range(3)"), null],
  ],
  "api-precision": [
    [[], typed("m.fit(x)"), 0],
    [["x = 1"], typed("m.fit(x)"), 0],
    [["m.fit(a)\nm.score(b)\nprint(m)"], typed("Ridge().fit(x)"), 1 / 2],
    [["m.fit(a)"], typed("range(3)"), null],
  ],
  "output-em": [
    [[], typed("1"), 0],
    [[""], typed(""), 0],
    [["Mean: 3.14159"], typed("3.14"), 1],
    [["3.15"], typed("3.14"), 0],
    [["2", "1"], typed("1.001"), 1],
  ],
  "output-em-published": [
    [[], typed("1"), 0],
    [[""], typed(""), 0],
    // Each text has one number. 2.6 % is .03 when rounded.
    [["2.6"], typed("0.03"), 1],
    [["3.15"], typed("3.14"), 0],
    // Neither text has a digit, so both have the same (empty) list of numbers.
    [["inf"], typed("True"), 1],
    [["no", "a line\nyes"], typed("yes"), 1],
    [["the answer is yes"], typed("yes"), 0],
    [["a  1.50"], typed("a  1.5\nb  2"), 0],
  ],
  "chrf-adapted": [
    [[], typed("ab"), 0],
    [["abc"], typed("ab"), 35 / 40],
  ],
  "insert-chrf": [
    [[], typed("ab"), 0],
    [["abc"], typed("ab"), 35 / 40],
  ],
  "first-line": [
    [[], FIT, 0],
    [[""], typed("# nothing"), 0],
    [["model.fit(X)"], FIT, 1],
    [["model.fit(y)", "\n  # other words\n  model.fit(X)\nmore()"], FIT, 1],
    [["x  =\t1"], typed("x = 1"), 1],
    [["x=1"], typed("x = 1"), 0],
  ],
  "undefined-names": [
    [[], FIT, null],
    [["m.fit(x)"], FIT, null],
    [["m.fit(x)", "m.fit(y)", ""], { ...FIT, above: { prefix: "m = Ridge()\n", preceding: ["x = 1"] } }, 1 / 2],
    [["ape"], { ...FIT, above: { prefix: "df.sh", preceding: [] } }, 0],
    [["m"], { ...FIT, above: { prefix: "", preceding: ["from models import *"] } }, null],
  ],
  length: [
    [[], FIT, 0],
    [["ab", "# long"], FIT, 4],
    [["😀"], FIT, 1],
  ],
};

/** The hits of a list with at least the minimum confidence of .1. */
const SHOWN: Record<string, readonly (readonly [JudgedHits, number, number | null])[]> = {
  useful: [
    [{ confidences: [], useful: [] }, 0.1, 0],
    [{ confidences: [0.2, 0.05], useful: [false, true] }, 0.1, 0],
    [{ confidences: [0.2, 0.1], useful: [false, true] }, 0.1, 1],
    [{ confidences: [null], useful: [true] }, 0.1, 1],
    [{ confidences: [0.9], useful: null }, 0.1, null],
  ],
  silent: [
    [{ confidences: [], useful: [] }, 0.1, 1],
    [{ confidences: [0.05, 0.09], useful: [true, true] }, 0.1, 1],
    [{ confidences: [0.05, 0.1], useful: null }, 0.1, 0],
    [{ confidences: [null], useful: [false] }, 0.1, 0],
  ],
};

/** [prediction, reference] of every case, and the figure for all cases together. */
const POOLED: Record<string, readonly (readonly [readonly (readonly [string, string])[], number])[]> = {
  "bleu-canonical": [
    [[["", "x = 1"]], 0],
    // All strings count as equal, and comments do not count.
    [[["x = f('a')  # why", 'x=f("b c")']], 1],
    // f ( ) against g ( ): 2/3, 1/2, a half of 1, a quarter of 1.
    [[["f()", "g()"]], ((2 / 3) * (1 / 2) * (1 / 2) * (1 / 4)) ** (1 / 4)],
    // The second case has no prediction, and adds one n-gram of every order. 3 predicted tokens against 6.
    [
      [
        ["f()", "g()"],
        ["", "g()"],
      ],
      Math.exp(1 - 6 / 3) * ((2 / 4) * (1 / 3) * (1 / 2 / 2) * (1 / 4 / 2)) ** (1 / 4),
    ],
  ],
  bleu: [
    [[["", "x = 1"]], 0],
    [[["x = f(a, b)  # why", "x = f(a,b)"]], 1],
    // Tokens a . b ( ) against a . c ( ): 4/5, 2/4, 0 of three.
    [[["a.b()", "a.c()"]], 0],
    // x = a . b ( ) against x = a . c ( ): 6/7, 4/6, 2/5, 1/4.
    [[["x = a.b()", "x = a.c()"]], ((6 / 7) * (4 / 6) * (2 / 5) * (1 / 4)) ** (1 / 4)],
    // The same pair, and a case without a prediction. 7 predicted tokens are compared with 14.
    [
      [
        ["x = a.b()", "x = a.c()"],
        ["", "x = a.c()"],
      ],
      Math.exp(1 - 14 / 7) * ((6 / 7) * (4 / 6) * (2 / 5) * (1 / 4)) ** (1 / 4),
    ],
    // Longer predictions have no penalty. A word counts at most as often as in the reference.
    [[["x = 1\nx = 1\nx = 1", "x = 1\nx = 1"]], ((6 / 9) * (5 / 8) * (4 / 7) * (3 / 6)) ** (1 / 4)],
  ],
  "codebleu-published": [
    [[["x = f(a)", "x = f(a)"]], 1],
    [[["pass", "x"]], 0],
    [[["f()", "g()"]], (((2 / 3) * (1 / 2) * 0.1 * 0.1) ** (1 / 4) + (0.4 * (1 / 2) * 0.1 * 0.1) ** (1 / 4) + 1) / 4],
  ],
  codebleu: [
    [[["x = f(a)", "x = f(a)"]], 1],
    // The texts have nothing in common, and the reference has no data flow.
    [[["pass", "x"]], 1 / 4],
    // f ( ) of g ( ): two words of three (weighing .4 of at least 1), one pair of two, .1 of one; the trees are alike.
    [
      [["f()", "g()"]],
      (((2 / 3) * (1 / 2) * 0.1 * 0.1) ** (1 / 4) + (0.4 * (1 / 2) * 0.1 * 0.1) ** (1 / 4) + 1 + 1) / 4,
    ],
    [[["", "x = 1"]], (0 + 0 + 0 + 0) / 4],
    // The n-grams are as above. 6 of 7 words are right in the weighted part. Trees and flow differ only in names.
    [
      [["x = a.b()", "x = a.c()"]],
      (((6 / 7) * (4 / 6) * (2 / 5) * (1 / 4)) ** (1 / 4) +
        ((1.2 / 1.4) * (4 / 6) * (2 / 5) * (1 / 4)) ** (1 / 4) +
        1 +
        1) /
        4,
    ],
  ],
};

/** A case without a prediction counts like an empty text: only the counts of its reference. */
function pool(metric: PooledMetric, pairs: readonly (readonly [string, string])[]): number | null {
  const counts = pairs.map(([given, wanted]) => metric.counts(prepareText(given), typed(wanted)));
  return metric.of(counts[0]!.map((_, at) => counts.reduce((sum, one) => sum + one[at]!, 0)));
}

describe("every metric", () => {
  it("is listed once and has cases computed by hand", () => {
    const files = readdirSync("src/evaluate/metrics").filter((file) => !/^(metric|index)\.ts$/.test(file));
    const sources = files.map((file) => readFileSync(`src/evaluate/metrics/${file}`, "utf8")).join("\n");
    const names = METRICS.map(({ name }) => name).sort();
    expect([...sources.matchAll(/^ {2}name: "([^"]+)"/gm)].map(([, name]) => name!).sort()).toEqual(names);
    expect(Object.keys({ ...LISTS, ...CORPORA, ...TEXTS, ...SHOWN, ...POOLED }).sort()).toEqual(names);
  });

  for (const metric of METRICS) {
    it(`${metric.name} gives the values computed by hand`, () => {
      if (metric.kind === "list") check(LISTS[metric.name]!, ([input, k]) => metric.of(input, k));
      else if (metric.kind === "corpus") check(CORPORA[metric.name]!, ([input, k]) => metric.of(input, k));
      else if (metric.kind === "shown") check(SHOWN[metric.name]!, ([hits, min]) => metric.of(hits, min));
      else if (metric.kind === "pooled") check(POOLED[metric.name]!, ([pairs]) => pool(metric, pairs));
      else check(TEXTS[metric.name]!, ([results, target]) => scoreResults(metric, results.map(prepareText), target));
    });
  }

  it("scores 1 on the ideal list if it measures relevance", () => {
    const best = RANKING_METRICS.filter(
      (metric): metric is ListMetric => metric.kind === "list" && metric.ceiling !== null,
    );
    expect(best.map((metric) => metric.of(list(5, 4, 3), 3))).toEqual(best.map(() => 1));
  });
});

describe("seed 40 of the paper's Table 2", () => {
  const mean = (name: string) => {
    const { metric, k } = parseMetric(name, { among: RANKING_METRICS });
    const of = (ratings: number[]) => (metric as ListMetric).of(list(...ratings), k)!;
    return (of([1, 3, 1]) + of([4, 5, 3])) / 2;
  };

  it("has the published precision, average precision and nDCG", () => {
    expect(mean("precision@3")).toBeCloseTo(0.6667, 4);
    expect(mean("ap@3")).toBe(0.75);
    expect(mean("ndcg-published@3")).toBeCloseTo(0.5001, 4);
  });
});

describe("parseMetric", () => {
  it("reads the name and the k", () => {
    expect(parseMetric("precision@3")).toMatchObject({ name: "precision@3", k: 3 });
    expect(parseMetric("ndcg-ideal", { k: 5 })).toMatchObject({ name: "ndcg-ideal@5", k: 5 });
    expect(parseMetric(" ece ")).toMatchObject({ name: "ece", k: Number.POSITIVE_INFINITY });
  });

  it.each([
    ["precison@3", /Unknown metric "precison@3"; known metrics: precision@k, recall@k, .*ece, chrf/],
    ["precision@0", /Unknown metric/],
    ["", /Unknown metric/],
    ["precision", /needs a k, as in "precision@3"/],
    ["ece@3", /write "ece"/],
  ])("refuses %j", (text, message) => {
    expect(() => parseMetric(text)).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
    expect(() => parseMetric(text)).toThrow(message);
  });

  it("refuses a k that is larger than that of the run", () => {
    expect(() => parseMetric("mrr@10", { k: 3 })).toThrow(/looks at 10 cells, but --k is 3/);
  });

  it("accepts map-cut by its name, which the list of all metrics at the run's k leaves out", () => {
    expect(parseMetric("map-cut@3").name).toBe("map-cut@3");
    expect(allMetrics(DEFAULT_RANKING_METRICS, 3).map(({ name }) => name)).toEqual([
      "precision@3",
      "recall@3",
      "f1@3",
      "ap@3",
      "ndcg-ideal@3",
      "ndcg-published@3",
      "ndcg@3",
      "mrr@3",
      "hit-rate@3",
      "diversity@3",
      "coverage@3",
      "ece",
    ]);
  });
});

function check<C extends readonly unknown[]>(cases: readonly C[], of: (one: C) => number | null): void {
  for (const [at, one] of cases.entries()) {
    const expected = one.at(-1) as number | null;
    const value = of(one);
    if (expected === null || value === null) expect(value, `case ${at + 1}`).toBe(expected);
    else expect(value, `case ${at + 1}`).toBeCloseTo(expected, 12);
  }
}

describe("parts of metrics", () => {
  it("compare every vector with the vectors before it", () => {
    const of = (x: number, y: number) => Float32Array.of(x, y);
    expect(pairCosines([of(1, 0), of(0, 1), of(0.6, 0.8), null]).map((value) => Number(value.toFixed(6)))).toEqual([
      0, 0.6, 0.8, 0, 0, 0,
    ]);
    expect([pairCosines([]), pairCosines([of(1, 0)])]).toEqual([[], []]);
  });

  it("penalize only predictions that are too short", () => {
    expect([brevityPenalty(0, 3), brevityPenalty(3, 3), brevityPenalty(4, 3)]).toEqual([0, 1, 1]);
    expect(brevityPenalty(2, 4)).toBeCloseTo(Math.exp(-1), 12);
  });

  it("smooth the orders above 1 only for a single case", () => {
    // N-grams of order 1 to 4: 2, 1, 0 and 0 shared, of 4, 3, 2 and 1 in the prediction. Both lengths are 4.
    const counts = [2, 1, 0, 0, 4, 3, 2, 1, 4, 4];
    expect(bleu.single(counts)).toBeCloseTo(((2 / 4) * (2 / 4) * (1 / 3) * (1 / 2)) ** (1 / 4), 12);
    expect(bleu.of(counts)).toBe(0);
    expect(bleu.of([2, 1, 1, 1, 4, 3, 2, 0, 4, 4])).toBe(0);
    expect(bleu.of([4, 3, 2, 1, 4, 3, 2, 1, 4, 8])).toBeCloseTo(Math.exp(-1), 12);
  });

  it("count the flows of code that a prediction has, each once", () => {
    const counts = (result: string, reference: string) =>
      codebleu.counts(prepareText(result), { reference: prepareText(reference) } as TypedCase);
    const flowShare = (result: string, reference: string) => codebleuParts(counts(result, reference))[3];
    expect(flowShare("x = 1", "x = 1")).toBe(1);
    expect(flowShare("a = b\nc = a\nd = a", "a = b\nc = a\nd = a")).toBe(1);
    expect(flowShare("print(1)", "a = b\nc = a")).toBe(0);
    // `import` is a keyword and weighs 1, and `sys` weighs .2. Counts 8 and 12: the weight of the shared words and of all.
    const weighted = counts("import os", "import sys");
    expect([weighted[8], weighted[12]]).toEqual([1, 1.2]);
    expect(codebleu.single(counts("x = y", "x = y"))).toBe(codebleu.of(counts("x = y", "x = y")));
  });

  it("say whether higher or lower is better", () => {
    expect(["precision@3", "ece", "mrr@5"].map(betterOf)).toEqual(["higher", "lower", "higher"]);
  });

  it("are refused if only a part of the text is a name", () => {
    for (const text of ["1precision@3", "precision@3x", "@3", "Precision@3", ""])
      expect(() => parseMetric(text)).toThrow(`Unknown metric "${text}"`);
    expect(parseMetric("precision@3", { k: 3 }).k).toBe(3);
    expect(() => parseMetric("precision@4", { k: 3 })).toThrow("but --k is 3");
    expect(parseMetric("precision@4").k).toBe(4);
  });
});
