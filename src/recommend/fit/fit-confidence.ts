import { minimize } from "./adam.js";
import { dot, holdSigns, type Signs } from "./fit-weights.js";

/** A hit that was shown, and whether it helped. */
export interface JudgedHit {
  readonly row: Float64Array;
  readonly useful: boolean;
}

/** A logistic model of "this hit is useful". */
export interface Calibration {
  readonly bias: number;
  readonly weights: Float64Array;
}

/** What keeps the model near the one that it starts from. */
const TRUST = 5e-3;

/** Refits the confidence to hits that were judged, starting from what is known of others. */
export function fitConfidence(hits: readonly JudgedHit[], start: Calibration, signs: Signs): Calibration {
  if (hits.length === 0) return start;
  // The bias is one more weight, of a feature that is always 1.
  const rows = hits.map(({ row }) => Float64Array.of(...row, 1));
  const origin = Float64Array.of(...start.weights, start.bias);
  const found = minimize(
    origin,
    (weights, into) => {
      for (const [at, row] of rows.entries()) {
        const push = (1 / (1 + Math.exp(-dot(row, weights))) - Number(hits[at]!.useful)) / rows.length;
        for (let feature = 0; feature < row.length; feature += 1) into[feature]! += push * row[feature]!;
      }
      for (let at = 0; at < weights.length; at += 1) into[at]! += TRUST * (weights[at]! - origin[at]!);
    },
    (weights) => holdSigns(weights, signs),
    { steps: 300, rate: 0.05 },
  );
  return { bias: found.at(-1)!, weights: found.slice(0, -1) };
}
