import { defaultMinConfidence } from "../../../recommend/request.js";
import { callF1 } from "../../metrics/call-f1.js";
import { allMetrics, betterOf, SHOWN_METRICS, TEXT_METRICS } from "../../metrics/index.js";
import { scoreResults, type TypedCase } from "../../metrics/metric.js";
import { type JudgedHit, judgeConfidence } from "../../statistics/calibration.js";
import { clusterValues } from "../../statistics/clusters.js";
import { intervalsOf, meansOf } from "../../statistics/means.js";
import { type Pairing, pairClusters, requireSame } from "../../statistics/pairing.js";
import type { PreparedText } from "../../text/prepare.js";
import type { ConfidenceFigures, TypingCase, TypingFigures, TypingResult } from "./typing-result.js";

/** Call F1 from which on a hit is useful; the confidence is the probability of that. */
export const USEFUL = 0.5;

/** What the suite measures with k hits, in the order it is reported. */
export function typingMetrics(k: number): { readonly name: string; readonly better: "higher" | "lower" }[] {
  const asked = allMetrics([...TEXT_METRICS, ...SHOWN_METRICS], k);
  return asked.map(({ name, metric }) => ({ name, better: metric.better }));
}

/** A hit as the metrics read it; what a target does not give is its code. */
export interface PreparedHit {
  readonly code: PreparedText;
  readonly adapted: PreparedText;
  readonly insert: PreparedText;
}

/** The values of one case, and what its hits are worth. */
export type CaseValues = Pick<
  TypingCase,
  "chrf" | "callRecall" | "callF1" | "length" | "chrfAdapted" | "insertChrf" | "firstLine" | "confidences" | "useful"
>;

/** What the results of one case add to the document. */
export type CaseScores = Omit<CaseValues, "confidences">;

/** Scores the k results of a case, best first, against what was really typed. */
export function scoreCase(results: readonly PreparedHit[], target: TypedCase): CaseScores {
  const [chrf, recall, f1, length, adapted, insert, firstLine] = TEXT_METRICS.map((metric) => {
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
    useful: f1 === null ? null : results.map(({ code }) => callF1.of(code, target)! >= USEFUL),
  };
}

/** The means over the cases and their intervals, drawing notebooks, because the cases of one are alike. */
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
  const { chrf, callRecall, callF1: f1, length, chrfAdapted, insertChrf, firstLine } = values;
  // People get `auto`, and with it its least confidence; the suite asks without one, so that all hits can be scored.
  const leastConfidence = defaultMinConfidence("auto");
  // A case of an older document does not say all that these need.
  const shown = SHOWN_METRICS.map((metric) => (chrfAdapted === null ? null : metric.of(values, leastConfidence)));
  return [chrf, callRecall, f1, length, chrfAdapted, insertChrf, firstLine, ...shown];
}

/** A case as far as its confidences matter. */
export type JudgedCase = Pick<TypingCase, "confidences" | "useful">;

/** Holds confidences against what was useful. Cases without calls and hits without a confidence are left out; null for nothing. */
export function confidenceFigures(cases: readonly JudgedCase[]): ConfidenceFigures | null {
  const judged = judgeConfidence(
    cases.flatMap(({ confidences, useful }) => (useful === null ? [] : [sureHits(confidences, useful)])),
  );
  return (
    judged && {
      ...judged,
      bins: judged.bins.map(({ share, ...bin }) => ({ ...bin, shareUseful: share })),
      cutoffs: judged.cutoffs.map(({ share, ...cutoff }) => ({ ...cutoff, shareUseful: share })),
    }
  );
}

function sureHits(confidences: TypingCase["confidences"], useful: readonly boolean[]): JudgedHit[] {
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
