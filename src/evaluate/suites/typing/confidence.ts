import { createCalibration } from "../../statistics/calibration.js";
import type { ConfidenceFigures, TypingCase } from "./document.js";

/** A case as far as its confidences matter. */
export type JudgedCase = Pick<TypingCase, "confidences" | "useful">;

interface SureHit {
  readonly confidence: number;
  readonly useful: boolean;
}

/** Steps of a tenth: finer ones would move with single hits. */
const CUTOFFS = Array.from({ length: 10 }, (_, at) => at / 10);

/** Holds confidences against what was useful. Cases without calls and hits without a confidence are left out; null for nothing. */
export function confidenceFigures(cases: readonly JudgedCase[]): ConfidenceFigures | null {
  const lists = cases.flatMap(({ confidences, useful }) => (useful === null ? [] : [sureHits(confidences, useful)]));
  const hits = lists.flat();
  const calibration = createCalibration();
  for (const { confidence, useful } of hits) calibration.add(confidence, useful);
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
      shareUseful: share,
    })),
    cutoffs: CUTOFFS.map((minConfidence) => cutOff(lists, minConfidence)),
  };
}

function sureHits(confidences: TypingCase["confidences"], useful: readonly boolean[]): SureHit[] {
  return confidences.flatMap((confidence, at) => (confidence === null ? [] : [{ confidence, useful: useful[at]! }]));
}

function cutOff(lists: readonly (readonly SureHit[])[], minConfidence: number): ConfidenceFigures["cutoffs"][number] {
  const shown = lists.map((hits) => hits.filter(({ confidence }) => confidence >= minConfidence));
  const hits = shown.flat();
  const share = (isCounted: (hits: readonly SureHit[]) => boolean) => shown.filter(isCounted).length / lists.length;
  return {
    minConfidence,
    hits: hits.length,
    answered: share(({ length }) => length > 0),
    helped: share((list) => list.some(({ useful }) => useful)),
    shareUseful: hits.length === 0 ? null : hits.filter(({ useful }) => useful).length / hits.length,
  };
}
