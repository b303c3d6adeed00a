import { TEXT_METRICS } from "./metrics/index.js";
import type { TypedCase } from "./metrics/metric.js";
import type { TypingCase, TypingFigures } from "./results/typing.js";
import type { PreparedText } from "./text/prepare.js";
import { scoreResults } from "./text/score-results.js";
import { intervalsOf, meansOf } from "./views.js";

const NAMES = TEXT_METRICS.map(({ name }) => name);

/** The values of one case: what it adds to the document. */
export type CaseScores = Pick<TypingCase, "chrf" | "callRecall" | "callF1" | "length">;

/** Scores the k results of a case, best first, against what was really typed. */
export function scoreCase(results: readonly PreparedText[], target: TypedCase): CaseScores {
  const [chrf, callRecall, callF1, length] = TEXT_METRICS.map((metric) => scoreResults(metric, results, target));
  return { chrf: chrf!, callRecall: callRecall!, callF1: callF1!, length: length! };
}

/** The means over the cases and their intervals, drawing notebooks, because the cases of one are alike. */
export function typingFigures(cases: readonly (CaseScores & { readonly notebook: string })[]): TypingFigures {
  const rows = cases.map(({ notebook, chrf, callRecall, callF1, length }) => ({
    notebook,
    values: [chrf, callRecall, callF1, length],
  }));
  const means = meansOf(NAMES, rows) as Omit<TypingFigures, "ci95">;
  return { ...means, ci95: intervalsOf(NAMES, rows, ({ notebook }) => notebook) };
}
