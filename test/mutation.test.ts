import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { PARTS } from "../scripts/mutation/parts.js";
import { scoreOf } from "../scripts/mutation/score.js";

const report = (...statuses: string[]) => ({ files: { "a.ts": { mutants: statuses.map((status) => ({ status })) } } });
const many = (count: number, status: string) => Array<string>(count).fill(status);

describe("the score of mutation testing", () => {
  it("is the share of tested mutants that a test detected", () => {
    const whole = report("Killed", "Timeout", "Survived", "NoCoverage", "Ignored");
    expect(scoreOf(whole)).toEqual({ mutants: 4, tried: 4, unreached: 1, score: 0.5, low: 0.5, high: 0.5 });
    expect(scoreOf(report())).toEqual({ mutants: 0, tried: 0, unreached: 0, score: 0, low: 0, high: 0 });
  });

  it("has Wilson's interval if only a sample of the mutants was run", () => {
    const sample = report(...many(80, "Killed"), ...many(20, "Survived"), ...many(900, "CompileError"));
    const { mutants, tried, score, low, high } = scoreOf(sample);
    expect([mutants, tried, score]).toEqual([1_000, 100, 0.8]);
    expect([low, high]).toEqual([expect.closeTo(0.7112, 4), expect.closeTo(0.8666, 4)]);
  });
});

describe("the parts of mutation testing", () => {
  it("name existing files and tests, in patterns without a comma", () => {
    for (const { mutate, tests } of Object.values(PARTS)) {
      for (const pattern of [...mutate, ...tests]) {
        expect(pattern).not.toContain(",");
        const [fixed] = pattern.replace("!", "").split("/*") as [string];
        expect([pattern, existsSync(fixed) || existsSync(dirname(fixed))]).toEqual([pattern, true]);
      }
    }
  });
});
