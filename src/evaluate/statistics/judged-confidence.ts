import { createCalibration } from "./calibration.js";

/** A hit that was sure of itself, and whether it was right. */
export interface JudgedHit {
  readonly confidence: number;
  readonly right: boolean;
}

/** Steps of a tenth: finer ones would move with single hits. */
const CUTOFFS = Array.from({ length: 10 }, (_, at) => at / 10);

/** Holds confidences, list by list, against what was right; null where no hit has one. */
export function judgeConfidence(lists: readonly (readonly JudgedHit[])[]) {
  const hits = lists.flat();
  const calibration = createCalibration();
  for (const { confidence, right } of hits) calibration.add(confidence, right);
  const ece = calibration.error();
  if (ece === null) return null;
  return {
    hits: hits.length,
    ece,
    bins: calibration.bins().map(({ from, to, count, probability, share }) => ({
      from,
      to,
      hits: count,
      meanConfidence: probability,
      share,
    })),
    cutoffs: CUTOFFS.map((minConfidence) => cutOff(lists, minConfidence)),
  };
}

/** What is left when hits below a confidence are not shown. */
function cutOff(lists: readonly (readonly JudgedHit[])[], minConfidence: number) {
  const shown = lists.map((hits) => hits.filter(({ confidence }) => confidence >= minConfidence));
  const hits = shown.flat();
  const shareOf = (isCounted: (hits: readonly JudgedHit[]) => boolean) => shown.filter(isCounted).length / lists.length;
  return {
    minConfidence,
    hits: hits.length,
    answered: shareOf(({ length }) => length > 0),
    helped: shareOf((list) => list.some(({ right }) => right)),
    share: hits.length === 0 ? null : hits.filter(({ right }) => right).length / hits.length,
  };
}
