import { defaultMinConfidence } from "../../../recommend/request.js";
import { callF1 } from "../../metrics/calls.js";
import { allMetrics, betterOf, SHOWN_METRICS, TEXT_METRICS } from "../../metrics/index.js";
import { scoreResults, type TypedCase } from "../../metrics/metric.js";
import { clusterValues, intervalsOf, meansOf } from "../../statistics/bootstrap.js";
import { type JudgedHit, measureConfidence } from "../../statistics/calibration.js";
import { type Pairing, pairClusters, requireSame } from "../../statistics/permutation.js";
import type { PreparedText } from "../../text/prepare.js";
import type { TypingCase, TypingFigures, TypingResult } from "./typing-result.js";

/** Minimum call F1 of a useful hit. A confidence is the probability that a hit is useful. */
export const USEFUL = 0.5;

/** The metrics of the suite for k hits, in the order of the report. */
export function typingMetrics(k: number): { readonly name: string; readonly better: "higher" | "lower" }[] {
  const metrics = allMetrics([...TEXT_METRICS, ...SHOWN_METRICS], k);
  return metrics.map(({ name, metric }) => ({ name, better: metric.better }));
}

/** The texts of a hit that metrics read; its code if the target gives no adapted code or insertion. */
export interface PreparedHit {
  readonly code: PreparedText;
  readonly adapted: PreparedText;
  readonly insert: PreparedText;
  readonly placed: PreparedText;
}

/** The metrics of one case, and which of its hits are useful. */
type CaseValues = Pick<
  TypingCase,
  | "chrf"
  | "callRecall"
  | "callF1"
  | "length"
  | "chrfAdapted"
  | "insertChrf"
  | "firstLine"
  | "undefinedNames"
  | "confidences"
  | "useful"
>;

/** The scores of one case, as the document has them. */
export type CaseScores = Omit<CaseValues, "confidences">;

/** Scores the k results of a case against the real rest of the cell. */
export function scoreCase(results: readonly PreparedHit[], target: TypedCase): CaseScores {
  const [chrf, recall, f1, length, adapted, insert, firstLine, undefinedNames] = TEXT_METRICS.map((metric) => {
    const read = results.map((hit) => hit[metric.reads ?? "code"]);
    return scoreResults(metric, read, target);
  });
  return {
    chrf: chrf!,
    callRecall: recall!,
    callF1: f1!,
    length: length!,
    chrfAdapted: adapted!,
    insertChrf: insert!,
    firstLine: firstLine!,
    undefinedNames: undefinedNames!,
    useful: f1 === null ? null : results.map(({ code }) => callF1.of(code, target)! >= USEFUL),
  };
}

/**
 * Means over the cases. Intervals come from resampling notebooks, because cases of one notebook are not independent.
 */
export function typingFigures(
  cases: readonly (CaseValues & { readonly notebook: string })[],
  k: number,
): TypingFigures {
  const names = typingMetrics(k).map(({ name }) => name);
  const rows = cases.map((each) => ({ notebook: each.notebook, values: caseValues(each) }));
  return { ...meansOf(names, rows), ci95: intervalsOf(names, rows, ({ notebook }) => notebook) } as TypingFigures;
}

/** The values of a case in the order of the metrics. */
export function caseValues(values: CaseValues): (number | null)[] {
  const { chrf, callRecall, callF1: f1, length, chrfAdapted, insertChrf, firstLine, undefinedNames } = values;
  // The default minimum confidence for users. The suite asks without a minimum, so that all hits are scored.
  const minConfidence = defaultMinConfidence("auto");
  // Documents of earlier versions lack the data for these metrics.
  const shown = SHOWN_METRICS.map((metric) => (chrfAdapted === null ? null : metric.of(values, minConfidence)));
  return [chrf, callRecall, f1, length, chrfAdapted, insertChrf, firstLine, undefinedNames, ...shown];
}

/** The confidences of a case. */
type JudgedCase = Pick<TypingCase, "confidences" | "useful">;

/** Compares confidences with usefulness. Cases without calls and hits without a confidence are left out; null if none is left. */
export function confidenceFigures(cases: readonly JudgedCase[]) {
  return measureConfidence(
    cases.flatMap(({ confidences, useful }) => (useful === null ? [] : [confidentHits(confidences, useful)])),
    "shareUseful",
  );
}

function confidentHits(confidences: TypingCase["confidences"], useful: readonly boolean[]): JudgedHit[] {
  return confidences.flatMap((confidence, at) => (confidence === null ? [] : [{ confidence, right: useful[at]! }]));
}

/** Pairs the notebooks of two runs over the same cases. */
export function pairTyping(a: TypingResult, b: TypingResult): Pairing {
  requireSame("cases", a.cases, b.cases, ({ id }) => id);
  const clusters = ({ cases }: TypingResult) =>
    clusterValues(cases.map((each) => ({ id: each.notebook, values: caseValues(each) })));
  const metrics = typingMetrics(a.k).map(({ name }) => name);
  return {
    unit: "notebook",
    metrics,
    decisive: metrics[0],
    units: pairClusters(clusters(a), clusters(b)),
    better: betterOf,
  };
}
