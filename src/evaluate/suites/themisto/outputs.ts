import { neededNames } from "../../../python/needed-names.js";
import { chrF } from "../../text/chrf.js";
import { type PreparedText, prepareText } from "../../text/prepare.js";
import type { StepCase } from "./cases.js";
import type { Step } from "./trajectory.js";

/** What the same values weigh beside like code. */
const SAME_VALUES = 0.5;

/**
 * Foretells the output of a step: that of the earlier step of its kernel whose code is most like it, the latest of equals.
 * With `variables`, an earlier step counts for more the more of the names that both need had the same value as now.
 */
export function createOutputGuess(variables: boolean): (each: StepCase) => string {
  const prepared = new Map<string, PreparedText>();
  const prepare = (code: string) => {
    const known = prepared.get(code) ?? prepareText(code);
    prepared.set(code, known);
    return known;
  };
  return ({ step, earlier }) => {
    let best = { output: "", score: 0 };
    for (const [at, each] of earlier.entries()) {
      const alike = chrF(prepare(each.code).grams, prepare(step.code).grams);
      const score = alike + (variables ? SAME_VALUES * sameValues(step, each, earlier[at - 1], earlier.at(-1)) : 0);
      if (alike > 0 && score >= best.score) best = { output: each.output, score };
    }
    return best.output;
  };
}

/** A step sees the variables that the step before it left. */
function sameValues(step: Step, other: Step, beforeOther: Step | undefined, beforeStep: Step | undefined): number {
  const needed = [...neededNames(step.code)].filter((name) => neededNames(other.code).has(name));
  if (needed.length === 0) return 0;
  const shownValue = (from: Step | undefined, name: string) => from?.runtime_variables[name]?.value;
  const same = needed.filter((name) => {
    const now = shownValue(beforeStep, name);
    return now !== undefined && now === shownValue(beforeOther, name);
  });
  return same.length / needed.length;
}
