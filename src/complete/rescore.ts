/**
 * A small neural network that scores each candidate for the next token by its features. A softmax turns the scores into
 * probabilities.
 */
export interface RescoringNet {
  readonly inputs: number;
  readonly hidden: number;
  /** The first layer: `hidden` rows of `inputs` weights. */
  readonly first: Float32Array;
  readonly firstBias: Float32Array;
  readonly second: Float32Array;
}

/** Writes the scores of the candidates in the first `rows` rows of features. */
export type Score = (features: Float32Array, rows: number, scores: Float64Array) => void;

/** Replaces `Math.tanh`, the slowest step, by a lookup in a table and a correction. The error is below 1e-9. */
const TANH_STEPS = 1024;
const MAX_TANH = 12;
const TANH = Float64Array.from({ length: 2 * MAX_TANH * TANH_STEPS + 1 }, (_, at) =>
  Math.tanh(at / TANH_STEPS - MAX_TANH),
);

function tanh(value: number): number {
  if (value >= MAX_TANH) return 1;
  if (value <= -MAX_TANH) return -1;
  const place = (value + MAX_TANH) * TANH_STEPS;
  const nearest = Math.round(place);
  const known = TANH[nearest]!;
  const change = (place - nearest) / TANH_STEPS;
  return known + (1 - known * known) * change * (1 - known * change);
}

/** Creates a scorer for lists of candidates. Inputs that equal those of the first row are only summed once. */
export function createScorer({ inputs, hidden, first, firstBias, second }: RescoringNet): Score {
  const columns = new Float64Array(inputs * hidden);
  for (let unit = 0; unit < hidden; unit += 1)
    for (let at = 0; at < inputs; at += 1) columns[at * hidden + unit] = first[unit * inputs + at]!;
  const ofFirst = new Float64Array(hidden);
  const sums = new Float64Array(hidden);
  const add = (at: number, value: number) => {
    const from = at * hidden;
    for (let unit = 0; unit < hidden; unit += 1) sums[unit]! += columns[from + unit]! * value;
  };
  return (features, rows, scores) => {
    sums.set(firstBias);
    for (let at = 0; at < inputs; at += 1) if (features[at] !== 0) add(at, features[at]!);
    ofFirst.set(sums);
    for (let row = 0; row < rows; row += 1) {
      sums.set(ofFirst);
      for (let at = 0; at < inputs; at += 1) {
        const change = features[row * inputs + at]! - features[at]!;
        if (change !== 0) add(at, change);
      }
      let score = 0;
      for (let unit = 0; unit < hidden; unit += 1) score += second[unit]! * tanh(sums[unit]!);
      scores[row] = score;
    }
  };
}

/** Turns the first `count` scores into probabilities. */
export function softmax(scores: Float64Array, count: number): void {
  let highest = -Infinity;
  for (let at = 0; at < count; at += 1) if (scores[at]! > highest) highest = scores[at]!;
  let sum = 0;
  for (let at = 0; at < count; at += 1) {
    scores[at] = Math.exp(scores[at]! - highest);
    sum += scores[at]!;
  }
  for (let at = 0; at < count; at += 1) scores[at]! /= sum;
}
