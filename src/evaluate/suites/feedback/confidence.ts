import { groupBy } from "../../statistics/group-by.js";
import { judgeConfidence } from "../../statistics/judged-confidence.js";
import type { FeedbackHit, FeedbackResult } from "./document.js";

/** Holds confidences against what was accepted; null where no hit has one. Hits without are left out. */
export function confidenceFigures(hits: readonly FeedbackHit[]): FeedbackResult["confidence"] {
  const sure = hits.flatMap(({ answer, confidence, accepted }) =>
    confidence === null ? [] : [{ answer, confidence, right: accepted }],
  );
  const judged = judgeConfidence([...groupBy(sure, ({ answer }) => answer).values()]);
  return (
    judged && {
      ...judged,
      bins: judged.bins.map(({ share, ...bin }) => ({ ...bin, shareAccepted: share })),
      cutoffs: judged.cutoffs.map(({ share, ...cutoff }) => ({ ...cutoff, shareAccepted: share })),
    }
  );
}
