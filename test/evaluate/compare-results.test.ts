import { describe, expect, it } from "vitest";
import { compareResults } from "../../src/evaluate/compare-results.js";
import { parseResult } from "../../src/evaluate/suites/index.js";
import { celrecDocument, typingDocument } from "./documents.js";
import { OUTCOMES } from "./suites/celrec/sample.js";

/** The last query of b.py finds nothing. */
const WORSE = OUTCOMES.map((outcome) => (outcome.id === "b.py:3" ? { ...outcome, results: [] } : outcome));

describe("compareResults", () => {
  it("gives the difference of the means over all queries, and the seeds that changed", () => {
    const { metrics, unit, units } = compareResults(celrecDocument(), celrecDocument(WORSE));
    expect([unit, units]).toEqual(["seed", 2]);
    const precision = metrics.find(({ metric }) => metric === "precision@3")!;
    expect(precision.a).toBeCloseTo(7 / 15, 12);
    expect(precision.b).toBeCloseTo(5 / 15, 12);
    expect(precision.difference).toBeCloseTo(-2 / 15, 12);
    expect(precision.gains).toEqual([]);
    expect(precision.losses).toHaveLength(1);
    expect(precision.losses[0]).toMatchObject({
      id: "b.py",
      a: expect.closeTo(1 / 3, 12),
      b: expect.closeTo(1 / 9, 12),
    });
    // Bootstrap: a draw of b.py alone loses 4/3 over 6 queries. A draw without b.py loses nothing.
    expect(precision.ci95[0]).toBeCloseTo(-2 / 9, 12);
    expect(precision.ci95[1]).toBeCloseTo(0, 12);
    // Only one seed changed, so both signs of the difference are equally likely.
    expect(precision.p).toBe(1);
    expect(precision.holm).toBe(1);
  });

  it("finds no difference between a run and itself", () => {
    const { metrics, differs } = compareResults(celrecDocument(), celrecDocument());
    expect(differs).toEqual([]);
    expect(metrics.map(({ difference, p }) => [difference, p])).toEqual(metrics.map(() => [0, 1]));
  });

  it("names the options in which the runs differ", () => {
    const other = { ...celrecDocument(), config: { ...celrecDocument().config, filter: "off", distractors: "x" } };
    expect(compareResults(celrecDocument(), other).differs).toEqual(["filter", "distractors"]);
  });

  it("pairs the notebooks of typing and treats shorter results as better", () => {
    const longer = typingDocument().cases.map((one) => ({ ...one, length: one.length + 10 }));
    const { unit, metrics } = compareResults(typingDocument(), typingDocument(longer));
    const length = metrics.find(({ metric }) => metric === "length")!;
    expect(unit).toBe("notebook");
    expect([length.difference, length.gained, length.lost, length.p]).toEqual([10, 0, 2, 0.5]);
  });

  it("refuses results of other suites, seeds, texts or mutants", () => {
    const refuses = (b: Parameters<typeof compareResults>[1], message: RegExp) => {
      expect(() => compareResults(celrecDocument(), b)).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
      expect(() => compareResults(celrecDocument(), b)).toThrow(message);
    };
    refuses(typingDocument(), /suite celrec, the other of typing/);
    const fewer = celrecDocument();
    fewer.manifest.seeds.pop();
    refuses(fewer, /1 only in the first, 0 only in the second, for example b\.py/);
    const edited = celrecDocument();
    edited.manifest.seeds[0]!.hash = "0".repeat(64);
    refuses(edited, /a\.py has another text/);
    const mutated = celrecDocument();
    mutated.manifest.seeds[1]!.mutants[0]!.id = "other";
    refuses(mutated, /b\.py had other mutants/);
  });
});

describe("parseResult", () => {
  it.each([celrecDocument(), typingDocument()])("reads the documents of $suite", (document) => {
    expect(parseResult(JSON.stringify(document), "a.json")).toEqual(document);
  });

  it.each([
    ["{", /a\.json is not JSON/],
    ["{}", /a\.json is not a result of celrec eval: \/suite/],
    [JSON.stringify({ ...celrecDocument(), k: 0 }), /\/k: /],
    [JSON.stringify({ ...celrecDocument(), mps2: [{ seed: "a", lines: 1, "ap@3": "x" }] }), /\/mps2\/0\/ap@3: /],
  ])("reports the error in %.20s", (text, message) => {
    expect(() => parseResult(text, "a.json")).toThrow(message);
  });
});
