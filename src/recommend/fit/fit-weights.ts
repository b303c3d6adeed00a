/** The candidates of one query: their features and their gains, 0 to 1. */
export interface FittedList {
  readonly rows: readonly Float64Array[];
  readonly worth: Float64Array;
}

/** The sign that each feature's weight may have; 0 allows both. */
type Signs = readonly (1 | -1 | 0)[];

/** Temperature of the target softmax: higher prefers the best candidate more strongly. */
const SHARPNESS = 20;
/** Strength of the prior that keeps weights near their start values. It counts as much as this many lists. */
const PRIOR_LISTS = 40;

/**
 * Fits weights with ListNet's loss: the cross entropy between the softmax of the scores and the softmax of the gains.
 * With few lists the weights stay near `start`.
 */
export function fitWeights(lists: readonly FittedList[], start: Float64Array, signs: Signs): Float64Array {
  const taught = lists.flatMap(({ rows, worth }) => {
    const mean = worth.reduce((sum, value) => sum + value, 0) / worth.length;
    const gain = Math.max(...worth) - mean;
    // A list with fewer than two rows or without any gain teaches nothing.
    return rows.length < 2 || gain <= 0 ? [] : [{ rows, gain, goal: softmax(worth.map((v) => v * SHARPNESS)) }];
  });
  const total = taught.reduce((sum, { gain }) => sum + gain, 0);
  if (total === 0) return start;
  const trust = PRIOR_LISTS / (PRIOR_LISTS + lists.length);
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
    (weights) => clampSigns(weights, signs),
    { steps: 150, rate: 0.1 },
  );
}

function clampSigns(weights: Float64Array, signs: Signs): void {
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

const MEAN_DECAY = 0.9;
const SQUARE_DECAY = 0.999;

/**
 * Minimises by Adam (Kingma and Ba, 2015). `gradient` writes the slope at `values` into its second argument; `hold` may
 * clamp values after a step. The learning rate decreases linearly to almost 0.
 */
export function minimize(
  values: Float64Array,
  gradient: (values: Float64Array, into: Float64Array) => void,
  hold: (values: Float64Array) => void,
  { steps, rate }: { readonly steps: number; readonly rate: number },
): Float64Array {
  const found = Float64Array.from(values);
  const slope = new Float64Array(found.length);
  const mean = new Float64Array(found.length);
  const square = new Float64Array(found.length);
  for (let step = 1; step <= steps; step += 1) {
    slope.fill(0);
    gradient(found, slope);
    const size = rate * (1 - (step - 1) / steps) + rate / 50;
    for (let at = 0; at < found.length; at += 1) {
      mean[at] = MEAN_DECAY * mean[at]! + (1 - MEAN_DECAY) * slope[at]!;
      square[at] = SQUARE_DECAY * square[at]! + (1 - SQUARE_DECAY) * slope[at]! ** 2;
      const direction = mean[at]! / (1 - MEAN_DECAY ** step);
      const scale = Math.sqrt(square[at]! / (1 - SQUARE_DECAY ** step)) + 1e-8;
      found[at]! -= (size * direction) / scale;
    }
    hold(found);
  }
  return found;
}

/** A shown hit with a user's judgement. */
interface JudgedHit {
  readonly row: Float64Array;
  readonly useful: boolean;
}

/** A logistic model of "this hit is useful". */
interface Calibration {
  readonly bias: number;
  readonly weights: Float64Array;
}

/** Strength of the penalty that keeps the model near its start. */
const CONFIDENCE_REGULARIZATION = 5e-3;

/** Refits the confidence model to rated hits, starting from a known one. */
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
      for (let at = 0; at < weights.length; at += 1)
        into[at]! += CONFIDENCE_REGULARIZATION * (weights[at]! - origin[at]!);
    },
    (weights) => clampSigns(weights, signs),
    { steps: 300, rate: 0.05 },
  );
  return { bias: found.at(-1)!, weights: found.slice(0, -1) };
}
