import { describe, expect, it } from "vitest";
import { paperMutators } from "../../../../mutators/index.js";
import type { Mutator } from "../../../../src/evaluate/suite.js";
import { makeMutants } from "../../../../src/evaluate/suites/celrec/mutants.js";

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

describe("makeMutants", () => {
  it("applies the paper's operators one after another, rated 5, 4, 3", () => {
    const { mutants, unchanged, failed } = makeMutants("lr = f()\nlr.fit(x)\n", paperMutators);
    expect(mutants.map(({ code, ...rest }) => rest)).toEqual([
      { operator: "rename-variables", kind: "degrading", mutant: 1, rating: 5 },
      { operator: "insert-comments", kind: "preserving", mutant: 2, rating: 4 },
      { operator: "reverse-lines", kind: "degrading", mutant: 3, rating: 3 },
    ]);
    expect(mutants.map(({ code }) => code)).toEqual([
      "new_lr = new_f()\nnew_lr.fit(new_x)",
      "new_lr = new_f()\n# Additional comment line\nnew_lr.fit(new_x)",
      "new_lr = new_f()\n)(f_wen = rl_wen\n# Additional comment line\nnew_lr.fit(new_x)\n)x_wen(tif.rl_wen",
    ]);
    expect([unchanged, failed]).toEqual([[], []]);
  });

  it("makes no mutant where nothing changes, counts it, and keeps the places of the others", () => {
    const { mutants, unchanged } = makeMutants("x", [a, nothing, b]);
    expect(mutants.map(({ mutant, rating, code }) => [mutant, rating, code])).toEqual([
      [1, 5, "xa"],
      [3, 3, "xab"],
    ]);
    expect(unchanged).toEqual(["nothing"]);
  });

  it("makes hard negatives from the seed alone, rated 1, and does not count them among the operators", () => {
    const { mutants } = makeMutants("x", [a, negative, b]);
    expect(mutants.map(({ operator, mutant, rating, code }) => [operator, mutant, rating, code])).toEqual([
      ["a", 1, 4, "xa"],
      ["negative", null, 1, "x!"],
      ["b", 2, 3, "xab"],
    ]);
  });

  it("counts an operator that throws, or gives no text, and goes on", () => {
    const silent = make("silent", () => undefined as unknown as string);
    const { mutants, failed } = makeMutants("x", [broken, silent, a]);
    expect(mutants.map(({ mutant, rating, code }) => [mutant, rating, code])).toEqual([[3, 3, "xa"]]);
    expect(failed).toEqual([
      { operator: "broken", message: "no idea" },
      { operator: "silent", message: "gave undefined instead of a string" },
    ]);
  });

  it("rates the only mutant 3", () => {
    expect(makeMutants("x", [a]).mutants[0]!.rating).toBe(3);
  });

  it("reads the seed with its line breaks as LF", () => {
    expect(makeMutants("x\r\ny\r\n", [a]).mutants[0]!.code).toBe("x\nya");
  });
});
