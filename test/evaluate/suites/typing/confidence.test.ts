import { describe, expect, it } from "vitest";
import { confidenceFigures } from "../../../../src/evaluate/suites/typing/typing-score.js";

const CASES = [
  { confidences: [0.45, 0.15], useful: [true, false] },
  { confidences: [0.41, null], useful: [false, true] },
  { confidences: [0.2], useful: [true] },
  { confidences: [], useful: [] },
  // Usefulness is undefined without calls.
  { confidences: [0.9], useful: null },
];

describe("confidenceFigures", () => {
  const figures = confidenceFigures(CASES)!;

  it("bins the hits that have a confidence, of the cases that have calls", () => {
    expect(figures.hits).toBe(4);
    expect(figures.bins.map(({ hits }) => hits)).toEqual([0, 1, 1, 0, 2, 0, 0, 0, 0, 0]);
    expect(figures.bins[1]).toEqual({ from: 0.1, to: 0.2, hits: 1, meanConfidence: 0.15, shareUseful: 0 });
    expect(figures.bins[4]).toMatchObject({ from: 0.4, to: 0.5, shareUseful: 0.5 });
    expect(figures.bins[4]!.meanConfidence).toBeCloseTo(0.43, 12);
    expect(figures.bins[9]).toEqual({ from: 0.9, to: 1, hits: 0, meanConfidence: null, shareUseful: null });
  });

  it("weights the error of each bin by its number of hits", () => {
    // 1 x |0 - .15|, 1 x |1 - .2|, 2 x |.5 - .43|, over 4 hits.
    expect(figures.ece).toBeCloseTo((0.15 + 0.8 + 0.14) / 4, 12);
  });

  it("measures the hits left above each confidence", () => {
    const row = (minConfidence: number) => figures.cutoffs.find((one) => one.minConfidence === minConfidence);
    expect(figures.cutoffs).toHaveLength(10);
    // Four cases count; one of them has no hits.
    expect(row(0)).toEqual({ minConfidence: 0, hits: 4, answered: 3 / 4, helped: 2 / 4, shareUseful: 2 / 4 });
    // A hit with exactly the minimum confidence is shown.
    expect(row(0.2)).toEqual({ minConfidence: 0.2, hits: 3, answered: 3 / 4, helped: 2 / 4, shareUseful: 2 / 3 });
    expect(row(0.3)).toEqual({ minConfidence: 0.3, hits: 2, answered: 2 / 4, helped: 1 / 4, shareUseful: 1 / 2 });
    expect(row(0.5)).toEqual({ minConfidence: 0.5, hits: 0, answered: 0, helped: 0, shareUseful: null });
  });

  it("is null if no hit has a confidence", () => {
    expect(confidenceFigures([{ confidences: [null], useful: [true] }])).toBeNull();
    expect(confidenceFigures([{ confidences: [0.5], useful: null }])).toBeNull();
    expect(confidenceFigures([])).toBeNull();
  });
});
