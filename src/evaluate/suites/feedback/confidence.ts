import { createCalibration } from "../../statistics/calibration.js";
import { groupBy } from "../../statistics/group-by.js";
import type { FeedbackHit, FeedbackResult } from "./document.js";

type Figures = NonNullable<FeedbackResult["confidence"]>;

/** Steps of a tenth: finer ones would move with single hits. */
const CUTOFFS = Array.from({ length: 10 }, (_, at) => at / 10);

/** Holds confidences against what was accepted; null where no hit has one. Hits without are left out. */
export function confidenceFigures(hits: readonly FeedbackHit[]): Figures | null {
  const sure = hits.filter(({ confidence }) => confidence !== null);
  const calibration = createCalibration();
  for (const { confidence, accepted } of sure) calibration.add(confidence!, accepted);
  const ece = calibration.error();
  if (ece === null) return null;
  const answers = [...groupBy(sure, ({ answer }) => answer).values()];
  return {
    hits: sure.length,
    ece,
    bins: calibration.bins().map(({ from, to, count, probability, share }) => ({
      from,
      to,
      hits: count,
      meanConfidence: probability,
      shareAccepted: share,
    })),
    cutoffs: CUTOFFS.map((minConfidence) => cutOff(answers, minConfidence)),
  };
}

function cutOff(answers: readonly (readonly FeedbackHit[])[], minConfidence: number): Figures["cutoffs"][number] {
  const shown = answers.map((hits) => hits.filter(({ confidence }) => confidence! >= minConfidence));
  const hits = shown.flat();
  const share = (isCounted: (hits: readonly FeedbackHit[]) => boolean) =>
    shown.filter(isCounted).length / answers.length;
  return {
    minConfidence,
    hits: hits.length,
    answered: share(({ length }) => length > 0),
    helped: share((list) => list.some(({ accepted }) => accepted)),
    shareAccepted: hits.length === 0 ? null : hits.filter(({ accepted }) => accepted).length / hits.length,
  };
}
