import { type JudgedHit, judgeConfidence } from "../../statistics/judged-confidence.js";
import type { ConfidenceFigures, TypingCase } from "./document.js";

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
