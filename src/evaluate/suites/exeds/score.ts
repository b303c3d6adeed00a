import { bleu } from "../../metrics/bleu.js";
import { codebleu } from "../../metrics/codebleu.js";
import { em } from "../../metrics/em.js";
import { outputEm } from "../../metrics/output-em.js";
import type { Scored } from "../../predictions/run.js";
import { type Measure, measuresOf } from "../../predictions/score.js";
import { createScorer } from "../../predictions/scorer.js";
import type { TargetHit } from "../../target.js";
import { prepareText } from "../../text/prepare.js";
import type { Execution } from "./execute.js";
import type { Problem } from "./problems.js";

const TEXT_METRICS = [bleu, codebleu, em];

/** Of the code as it is, then of its adapted form, which is the code itself where the target gives none. */
const EXECUTED: readonly Measure[] = ["output-em", "ran", "adapted-output-em", "adapted-ran"].map((name) => ({
  name,
  better: "higher",
}));

export const EXEDS_MEASURES: readonly Measure[] = [...EXECUTED, ...measuresOf(TEXT_METRICS)];

/** Scores the text of all results, and executes the first, raw and adapted. */
export function createExedsScorer(execute: (problem: Problem, code: string) => Promise<Execution>) {
  const score = createScorer(TEXT_METRICS);
  return async (problem: Problem, hits: readonly TargetHit[]): Promise<Scored> => {
    const [first] = hits;
    const raw = first === undefined ? NOTHING : await execute(problem, first.code);
    const adapted = first?.adapted === undefined ? raw : await execute(problem, first.adapted);
    const { values, counts } = score(
      hits.map(({ code }) => code),
      problem.reference,
    );
    return {
      values: {
        "output-em": says(raw, problem),
        ran: raw.ended === "ok" ? 1 : 0,
        "adapted-output-em": says(adapted, problem),
        "adapted-ran": adapted.ended === "ok" ? 1 : 0,
        ...values,
      },
      counts,
      notes: { raw: raw.ended, adapted: adapted.ended },
    };
  };
}

const NOTHING: Execution = { ended: "no prediction", output: "" };

function says({ output }: Execution, problem: Problem): number {
  const reference = prepareText(problem.output);
  return outputEm.of(prepareText(output), { rest: reference, reference })!;
}
