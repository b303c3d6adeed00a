import { describe, expect, it } from "vitest";
import { paperMutators } from "../../../../mutators/index.js";
import type { Mutator } from "../../../../src/evaluate/suite.js";
import { makeMutants } from "../../../../src/evaluate/suites/celrec/mutants.js";
import { protocolOfSeries, recipeOf } from "../../../../src/evaluate/suites/celrec/protocol.js";

const make = (name: string, apply: (code: string) => string, kind: Mutator["kind"] = "degrading"): Mutator => ({
  name,
  description: name,
  kind,
  apply,
});
const a = make("a", (code) => `${code}a`);
const b = make("b", (code) => `${code}b`);
const nothing = make("nothing", (code) => code);
const broken = make("broken", () => {
  throw new Error("no idea");
});
const negative = make("negative", (code) => `${code}!`, "hard-negative");

/** Mutants of a series of operators, as `--mutators` makes them. */
function mutate(source: string, mutators: readonly Mutator[]) {
  const names = mutators.map(({ name }) => name);
  return makeMutants(source, recipeOf(protocolOfSeries(names, mutators), names, mutators));
}

describe("makeMutants", () => {
  it("applies the paper's operators one after another, rated 5, 4, 3", () => {
    const { mutants, unchanged, failed } = mutate("lr = f()\nlr.fit(x)\n", paperMutators);
    const [rename, comments, reverse] = paperMutators.map(({ name }) => name);
    expect(mutants.map(({ code, ...rest }) => rest)).toEqual([
      { operator: rename, operators: [rename], mutant: 1, rating: 5 },
      { operator: comments, operators: [rename, comments], mutant: 2, rating: 4 },
      { operator: reverse, operators: [rename, comments, reverse], mutant: 3, rating: 3 },
    ]);
    expect(mutants.map(({ code }) => code)).toEqual([
      "new_lr = new_f()\nnew_lr.fit(new_x)",
      "new_lr = new_f()\n# Additional comment line\nnew_lr.fit(new_x)",
      "new_lr = new_f()\n)(f_wen = rl_wen\n# Additional comment line\nnew_lr.fit(new_x)\n)x_wen(tif.rl_wen",
    ]);
    expect([unchanged, failed]).toEqual([[], []]);
  });

  it("makes no mutant for an operator that changes nothing, reports the operator, and skips the number of the mutant", () => {
    const { mutants, unchanged } = mutate("x", [a, nothing, b]);
    expect(mutants.map(({ mutant, rating, code }) => [mutant, rating, code])).toEqual([
      [1, 5, "xa"],
      [3, 3, "xab"],
    ]);
    expect(unchanged).toEqual(["nothing"]);
  });

  it("makes hard negatives from the seed alone, rated 1, and does not count them among the operators", () => {
    const { mutants } = mutate("x", [a, negative, b]);
    expect(mutants.map(({ operator, mutant, rating, code }) => [operator, mutant, rating, code])).toEqual([
      ["a", 1, 4, "xa"],
      ["b", 2, 3, "xab"],
      ["negative", null, 1, "x!"],
    ]);
  });

  it("counts an operator that throws or returns no text, and continues", () => {
    const silent = make("silent", () => undefined as unknown as string);
    const { mutants, failed } = mutate("x", [broken, silent, a]);
    expect(mutants.map(({ mutant, rating, code }) => [mutant, rating, code])).toEqual([[3, 3, "xa"]]);
    expect(failed).toEqual([
      { operator: "broken", message: "no idea" },
      { operator: "silent", message: "gave undefined instead of a string" },
    ]);
  });

  it("takes a seed that consists of magics only as its own mutant if there is no name to change", () => {
    const { mutants, unchanged } = mutate("%load_ext autoreload\n%autoreload 2", paperMutators);
    expect(mutants.map(({ mutant, rating, code }) => [mutant, rating, code])).toEqual([
      [1, 5, "%load_ext autoreload\n%autoreload 2"],
      [2, 4, "%load_ext autoreload\n# Additional comment line\n%autoreload 2"],
      [3, 3, "%load_ext autoreload\ndaolerotua txe_daol%\n# Additional comment line\n%autoreload 2\n2 daolerotua%"],
    ]);
    expect(unchanged).toEqual(["rename-variables"]);
  });

  it("applies the operators of each mutant that a protocol names, with its ratings", () => {
    const protocol = {
      ...{ k: 5, z: 2, unrelated: 0, hardNegatives: ["negative"] },
      mutants: [
        { rating: 3, operators: ["b"] },
        { rating: 2, operators: ["a", "b"] },
      ],
    };
    const { mutants } = makeMutants("x", recipeOf(protocol, ["a", "b", "negative"], [a, b, negative]));
    expect(mutants.map(({ operators, mutant, rating, code }) => [operators, mutant, rating, code])).toEqual([
      [["b"], 1, 3, "xb"],
      [["a", "b"], 2, 2, "xab"],
      [["negative"], null, 0, "x!"],
    ]);
  });

  it("rates the only mutant 3", () => {
    expect(mutate("x", [a]).mutants[0]!.rating).toBe(3);
  });

  it("reads the seed with its line breaks as LF", () => {
    expect(mutate("x\r\ny\r\n", [a]).mutants[0]!.code).toBe("x\nya");
  });
});
