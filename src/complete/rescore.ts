/** A small net that scores each candidate for the next token by its features; the scores become probabilities by a softmax. */
export interface RescoringNet {
  readonly inputs: number;
  readonly hidden: number;
  /** `hidden` rows of `inputs` weights. */
  readonly first: Float32Array;
  readonly firstBias: Float32Array;
  readonly second: Float32Array;
}

/** The score of the candidate whose features start at `offset`. */
export function scoreCandidate(net: RescoringNet, features: Float32Array, offset: number): number {
  const { inputs, hidden, first, firstBias, second } = net;
  let score = 0;
  for (let unit = 0; unit < hidden; unit += 1) {
    let sum = firstBias[unit]!;
    const row = unit * inputs;
    for (let at = 0; at < inputs; at += 1) sum += first[row + at]! * features[offset + at]!;
    score += second[unit]! * Math.tanh(sum);
  }
  return score;
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
