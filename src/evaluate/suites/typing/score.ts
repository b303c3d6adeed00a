import { callF1 } from "../../metrics/call-f1.js";
import { TEXT_METRICS } from "../../metrics/index.js";
import type { TypedCase } from "../../metrics/metric.js";
import { intervalsOf, meansOf } from "../../statistics/means.js";
import type { PreparedText } from "../../text/prepare.js";
import { scoreResults } from "../../text/score-results.js";
import type { TypingCase, TypingFigures } from "./document.js";

/** What the suite measures, in the order it is reported. */
export const TYPING_METRICS = TEXT_METRICS;
const NAMES = TYPING_METRICS.map(({ name }) => name);

/** From this call F1 on a hit is useful: what the confidence is the probability of. */
const USEFUL = 0.5;

/** The values of one case. */
export type CaseValues = Pick<TypingCase, "chrf" | "callRecall" | "callF1" | "length">;

/** What the results of one case add to the document. */
export type CaseScores = CaseValues & Pick<TypingCase, "useful">;

/** Scores the k results of a case, best first, against what was really typed. */
export function scoreCase(results: readonly PreparedText[], target: TypedCase): CaseScores {
  const [chrf, recall, f1, length] = TYPING_METRICS.map((metric) => scoreResults(metric, results, target));
  return {
    chrf: chrf!,
    callRecall: recall!,
    callF1: f1!,
    length: length!,
    useful: f1 === null ? null : results.map((result) => callF1.of(result, target)! >= USEFUL),
  };
}

/** The means over the cases and their intervals, drawing notebooks, because the cases of one are alike. */
export function typingFigures(cases: readonly (CaseValues & { readonly notebook: string })[]): TypingFigures {
  const rows = cases.map((each) => ({ notebook: each.notebook, values: caseValues(each) }));
  const means = meansOf(NAMES, rows) as Omit<TypingFigures, "ci95">;
  return { ...means, ci95: intervalsOf(NAMES, rows, ({ notebook }) => notebook) };
}

/** The values of a case in the order of the metrics. */
export function caseValues({ chrf, callRecall, callF1, length }: CaseValues): (number | null)[] {
  return [chrf, callRecall, callF1, length];
}
