import { minimize } from "./adam.js";

/** The candidates of one query: their features, and what each of them is worth, 0 to 1. */
export interface FittedList {
  readonly rows: readonly Float64Array[];
  readonly worth: Float64Array;
}

/** How a feature's weight is bounded: the sign that it may have, 0 for any. */
export type Signs = readonly (1 | -1 | 0)[];

/** How much better a candidate must be to win most of a list. */
const SHARPNESS = 20;
/** What keeps the weights near those that they start from: as much as this many lists would. */
const TRUST = 40;

/**
 * Weights under which the best candidates come first: the softmax of the scores is held against the softmax of what the candidates
 * are worth. `start` is where the weights come from and what few lists do not move far.
 */
export function fitWeights(lists: readonly FittedList[], start: Float64Array, signs: Signs): Float64Array {
  const taught = lists.flatMap(({ rows, worth }) => {
    const mean = worth.reduce((sum, value) => sum + value, 0) / worth.length;
    const gain = Math.max(...worth) - mean;
    // A list without anything better than the rest teaches nothing.
    return rows.length < 2 || gain <= 0 ? [] : [{ rows, gain, goal: softmax(worth.map((v) => v * SHARPNESS)) }];
  });
  const total = taught.reduce((sum, { gain }) => sum + gain, 0);
  if (total === 0) return start;
  const trust = TRUST / (TRUST + lists.length);
  return minimize(
    start,
    (weights, into) => {
      for (const { rows, gain, goal } of taught) {
        const shares = softmax(Float64Array.from(rows, (row) => dot(row, weights)));
        for (const [at, row] of rows.entries()) {
          const push = ((shares[at]! - goal[at]!) * gain) / total;
          for (let feature = 0; feature < row.length; feature += 1) into[feature]! += push * row[feature]!;
        }
      }
      for (let at = 0; at < weights.length; at += 1) into[at]! += 0.01 * trust * (weights[at]! - start[at]!);
    },
    (weights) => holdSigns(weights, signs),
    { steps: 150, rate: 0.1 },
  );
}

export function holdSigns(weights: Float64Array, signs: Signs): void {
  for (const [at, sign] of signs.entries()) if (sign * weights[at]! < 0) weights[at] = 0;
}

export function dot(row: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < row.length; at += 1) sum += row[at]! * weights[at]!;
  return sum;
}

function softmax(values: Float64Array): Float64Array {
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of values) highest = Math.max(highest, value);
  const powers = values.map((value) => Math.exp(value - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
