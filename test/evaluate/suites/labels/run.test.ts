import { describe, expect, it } from "vitest";
import { compareResults } from "../../../../src/evaluate/compare-results.js";
import { bootstrapIntervals } from "../../../../src/evaluate/statistics/bootstrap.js";
import { permuteRatios } from "../../../../src/evaluate/statistics/permutation.js";
import { runLabels } from "../../../../src/evaluate/suites/labels/labels-suite.js";
import type { TrueCell } from "../../../../src/evaluate/suites/labels/mistakes.js";
import { CELLS, labelsDocument, sampleLabeller } from "./sample.js";

const close = (value: number) => expect.closeTo(value, 12);

describe("runLabels", () => {
  it("gives the figures counted by hand", async () => {
    const { counts, metrics } = await labelsDocument();
    expect(counts).toEqual({ cells: 4, notebooks: 2, unlabelled: 1, prefixes: 6 });
    expect(metrics).toEqual({
      // Two labels are right, two are wrong, and two were missed.
      "micro-precision": 0.5,
      "micro-recall": 0.5,
      "micro-f1": 0.5,
      "exact-set": 0.25,
      "macro-precision": close(1 / 3),
      "macro-recall": 0.5,
      "macro-f1": close(0.4),
      "lowest-f1": 0,
      "mean-label-ece": close(0.4375),
      "highest-label-ece": close(0.6125),
      "prefix-met": close(5 / 6),
      "prefix-kept": close(5 / 6),
    });
  });

  it("counts each label separately, with its calibration", async () => {
    const { byLabel } = await labelsDocument();
    expect(byLabel).toMatchObject([
      // The probabilities differ from the truth by .1, .2, .05 and .7.
      { label: "a", cells: 2, given: 3, precision: close(2 / 3), recall: 1, f1: close(0.8), ece: close(1.05 / 4) },
      // The probabilities differ from the truth by .1, .8, .95 and .6.
      { label: "b", cells: 2, given: 1, precision: 0, recall: 0, f1: 0, ece: close(2.45 / 4) },
    ]);
    const filled = byLabel[0]!.calibration.filter(({ cells }) => cells > 0);
    expect(filled).toEqual([
      { from: 0, cells: 1, probability: 0.05, share: 0 },
      { from: 0.7, cells: 1, probability: 0.7, share: 0 },
      { from: 0.8, cells: 1, probability: 0.8, share: 1 },
      { from: 0.9, cells: 1, probability: 0.9, share: 1 },
    ]);
  });

  it("resamples whole notebooks for its intervals", async () => {
    const { ci95, byLabel } = await labelsDocument();
    // The first notebook alone has micro-F1 4/5 and one of two sets exact. In the second, no label is right.
    expect(ci95["micro-f1"]).toEqual([0, close(0.8)]);
    expect(ci95["exact-set"]).toEqual([0, 0.5]);
    // The F1 of the two labels is 1 and 0 in the first notebook, and 0 and 0 in the second.
    expect(ci95["macro-f1"]).toEqual([0, 0.5]);
    expect(byLabel[0]!.ci95.f1).toEqual([0, 1]);
    expect(ci95["lowest-f1"]).toBeUndefined();
  });

  it("lists the labels that were given instead of, or next to, a missed one", async () => {
    expect((await labelsDocument()).confusion).toEqual({
      instead: [
        { missed: "b", given: "a", cells: 1 },
        { missed: "b", given: null, cells: 1 },
        { missed: null, given: "b", cells: 1 },
      ],
      beside: [{ missed: "b", right: "a", cells: 1 }],
    });
  });

  it("lists the most confident mistake of each cell with the code, most confident first", async () => {
    const { worst } = await labelsDocument();
    expect(worst.map(({ id, mistake, label, probability, code }) => [id, mistake, label, probability, code])).toEqual([
      ["n2:0", "wrong", "b", 0.95, "three\nx\ny"],
      ["n1:1", "missed", "b", 0.2, "two"],
      ["n2:1", "wrong", "a", 0.7, "four"],
    ]);
  });

  it("asks about every line prefix of cells with three or more lines", async () => {
    const { partial, cells, metrics } = await labelsDocument();
    // {a, b} keeps all four cells, {b} drops the first and {a} the last. A cell without labels always counts as met.
    expect(partial).toEqual({
      byLines: [
        { lines: 1, prefixes: 2, met: 1, kept: 1 },
        { lines: 2, prefixes: 2, met: 0.5, kept: 0.75 },
        { lines: 3, prefixes: 2, met: 1, kept: 0.75 },
      ],
      byLabel: [
        { label: "a", prefixes: 3, met: close(2 / 3), kept: close(2.5 / 3) },
        { label: "b", prefixes: 0, met: null, kept: null },
      ],
    });
    expect(cells.map((cell) => cell.partial)).toEqual([
      { prefixes: 3, met: 2, kept: 2.5 },
      undefined,
      { prefixes: 3, met: 3, kept: 2.5 },
      undefined,
    ]);
    expect(Object.keys(metrics)).toContain("prefix-met");
    const whole = await labelsDocument({ partial: false });
    expect(whole.partial).toBeUndefined();
    expect(Object.keys(whole.metrics).filter((name) => name.startsWith("prefix"))).toEqual([]);
  });

  it("counts a label that the labeller does not know as missed", async () => {
    const cells: TrueCell[] = [...CELLS, { id: "n3:0", notebook: "n3", code: "one", labels: ["a", "own"] }];
    const { problems, byLabel, metrics } = await labelsDocument({ cells });
    expect(problems).toEqual({ unknownLabels: { own: 1 } });
    expect(byLabel[2]).toMatchObject({
      label: "own",
      cells: 1,
      given: 0,
      precision: null,
      recall: 0,
      f1: 0,
      ece: null,
    });
    // Three labels are right, two are wrong, and three were missed.
    expect(metrics["micro-f1"]).toBeCloseTo(6 / 11, 12);
  });

  it("stops when the signal is aborted", async () => {
    const done: number[] = [];
    const { config, manifest } = await labelsDocument();
    const stop = new AbortController();
    const onProgress = (_: string, count: number) => {
      done.push(count);
      if (count === 2) stop.abort();
    };
    const bench = { config, manifest, onProgress, signal: stop.signal };
    expect(await runLabels({ ...bench, cells: CELLS, labeller: sampleLabeller(), partial: false })).toBeNull();
    expect(done).toEqual([1, 2]);
  });
});

describe("compareResults of labels", () => {
  it("compares ratios of sums over notebooks, also if the denominators differ", async () => {
    const before = await labelsDocument();
    const after = await labelsDocument({ labeller: sampleLabeller({ two: [0.8, 0.9] }) });
    const { unit, units, metrics } = compareResults(before, after);
    expect([unit, units]).toEqual(["notebook", 2]);
    expect(metrics.map(({ metric }) => metric)).toEqual([
      "micro-precision",
      "micro-recall",
      "micro-f1",
      "exact-set",
      "prefix-met",
      "prefix-kept",
      "f1 a",
      "f1 b",
    ]);
    expect(metrics[2]).toMatchObject({
      better: "higher",
      a: 0.5,
      b: close(2 / 3),
      difference: close(1 / 6),
      gained: 1,
      lost: 0,
      gains: [{ id: "n1", a: close(0.8), b: 1 }],
      p: 1,
    });
    // Bootstrap: a draw of the first notebook alone gains a fifth. A draw of the second alone gains nothing.
    expect(metrics[2]!.ci95).toEqual([0, close(0.2)]);
    expect(metrics[5]).toMatchObject({ metric: "prefix-kept", better: "lower", difference: 0, p: 1 });
  });

  it("refuses results with other cells or reference labels", async () => {
    const document = await labelsDocument();
    const fewer = await labelsDocument({ cells: CELLS.slice(1) });
    expect(() => compareResults(document, fewer)).toThrow(
      /1 only in the first, 0 only in the second, for example n1:0/,
    );
    const relabelled = await labelsDocument({ cells: CELLS.map((cell) => ({ ...cell, labels: ["a"] })) });
    expect(() => compareResults(document, relabelled)).toThrow(/they have different cells: 3 only in the first/);
    const edited = { ...document, manifest: { ...document.manifest, inputs: { truth: "f" } } };
    expect(() => compareResults(document, edited)).toThrow(/the labelled cells differ/);
  });
});

describe("permuteRatios", () => {
  it("swaps the two values of a pair together", () => {
    // The runs have 1/3 and 5/6. If one pair is swapped, both have 2/3. If both pairs are swapped, the difference only
    // changes its sign.
    const pairs = [
      { a: [1, 2], b: [2, 2] },
      { a: [0, 1], b: [3, 4] },
    ] as const;
    expect(permuteRatios(pairs)).toBe(0.5);
    expect(permuteRatios([...pairs, { a: [5, 9], b: [5, 9] }])).toBe(0.5);
    expect(permuteRatios([{ a: [1, 2], b: [1, 2] }])).toBe(1);
    expect(permuteRatios([{ a: [0, 0], b: [0, 1] }])).toBe(1);
  });
});

describe("bootstrapIntervals of derived figures", () => {
  it("come after the means, from the same resamples", () => {
    const clusters = [
      { id: "x", sums: [1, 3], counts: [1, 1] },
      { id: "y", sums: [2, 4], counts: [1, 1] },
    ];
    const derive = ([a, b]: readonly number[]) => [b! - a!, Number.NaN];
    expect(bootstrapIntervals(clusters, { derive })).toEqual([[1, 2], [3, 4], [2, 2], null]);
  });
});
