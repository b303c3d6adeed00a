import { describe, expect, it } from "vitest";
import { createJudge } from "../../../../src/evaluate/suites/celrec/judge.js";
import { cellId } from "../../../../src/notebook/extract.js";

const RENAMED = "new_a = 1";
const COMMENTED = "new_a = 1\n# note";
const MIRRORED = "new_a = 1\n1 = a_wen\n# note";

const seed = (name: string, codes: readonly string[]) => ({
  truth: {
    seed: name,
    hash: "",
    lines: 1,
    mutants: codes.map((code, at) => ({ mutant: at + 1, operator: "x", rating: 5 - at, id: cellId(code) })),
  },
  codes: new Map(codes.map((code) => [cellId(code), code])),
});
const hit = (code: string) => ({ code, score: 0.5, confidence: null });
const judge = createJudge([seed("a.py", [RENAMED, COMMENTED, MIRRORED]), seed("b.py", ["new_b = 2"])]);
const rated = (codes: readonly string[]) =>
  judge("a.py", codes.map(hit)).map(({ seed, mutant, rating }) => [seed, mutant, rating]);

describe("judging returned cells", () => {
  it("identifies a mutant by its exact text", () => {
    expect(rated([MIRRORED, RENAMED])).toEqual([
      ["a.py", 3, 3],
      ["a.py", 1, 5],
    ]);
  });

  it("rates the mutants of other seeds 1, and names their seeds", () => {
    expect(rated(["new_b = 2"])).toEqual([["b.py", 1, 1]]);
  });

  it("assigns no seed to other cells", () => {
    expect(rated(["print(1)"])).toEqual([[null, null, 1]]);
  });

  it("matches changed text by its cleaned form, the best mutant that was not used before first", () => {
    expect(rated(["new_a = 1   # other", "new_a = 1 # again", "new_a = 1 # and again"])).toEqual([
      ["a.py", 1, 5],
      ["a.py", 2, 4],
      [null, null, 1],
    ]);
  });

  it("ignores line ends and one trailing newline", () => {
    expect(rated(["new_a = 1\r\n# note\r\n"])).toEqual([["a.py", 2, 4]]);
  });

  it("gives a cell that two seeds share the rating of the query's own seed", () => {
    const shared = createJudge([seed("a.py", ["x", RENAMED]), seed("b.py", [RENAMED])]);
    expect(shared("a.py", [hit(RENAMED)])[0]).toMatchObject({ seed: "a.py", mutant: 2, rating: 4 });
    expect(shared("b.py", [hit(RENAMED)])[0]).toMatchObject({ seed: "b.py", mutant: 1, rating: 5 });
  });
});
