// The fits that train-completer.ts needs: mixture weights by EM, the rescoring net by Adam, the calibration by gradient descent.
import { type Calibration, type CompletionFacts, calibrationInputs } from "../src/complete/confidence.js";
import { createScorer, type RescoringNet, softmax } from "../src/complete/rescore.js";

const EM_ROUNDS = 20;
/** Pseudo-count, in tokens, of the overall weights in the estimate of each bin. */
const SMOOTHING = 20;

/** The probability of the right token by component, and the bin of the question. */
export interface MixtureExample {
  readonly bin: number;
  readonly shares: Float64Array;
}

/** Mixture weights for each bin, smoothed with the weights of all bins together. */
export function fitMixture(events: readonly MixtureExample[], bins: number, components: number): Float32Array {
  const even = new Float64Array(components).fill(1 / components);
  const overall = fitMixtureWeights(events, even, 0.01);
  const byBin = new Map<number, { readonly shares: Float64Array }[]>();
  for (const event of events) {
    const known = byBin.get(event.bin);
    if (known === undefined) byBin.set(event.bin, [event]);
    else known.push(event);
  }
  const weights = new Float32Array(bins * components);
  for (let bin = 0; bin < bins; bin += 1)
    weights.set(fitMixtureWeights(byBin.get(bin) ?? [], overall, SMOOTHING), bin * components);
  return weights;
}

/** Fits mixture weights by EM. `strength` is the pseudo-count, in tokens, of the weights `towards`. */
function fitMixtureWeights(
  events: readonly { readonly shares: Float64Array }[],
  towards: Float64Array,
  strength: number,
): Float64Array {
  let weights = Float64Array.from(towards);
  for (let round = 0; round < EM_ROUNDS && events.length > 0; round += 1) {
    const sums = towards.map((weight) => weight * strength);
    for (const { shares } of events) {
      let all = 1e-9;
      for (let at = 0; at < shares.length; at += 1) all += weights[at]! * shares[at]!;
      for (let at = 0; at < shares.length; at += 1) sums[at]! += (weights[at]! * shares[at]!) / all;
    }
    const total = sums.reduce((sum, value) => sum + value, 0);
    weights = sums.map((value) => value / total);
  }
  return weights;
}

/** The features of all candidates for one token ("none of them" comes last), and the index of the right one. */
export interface NetExample {
  readonly features: Float32Array;
  readonly rows: number;
  readonly right: number;
}

const HIDDEN_UNITS = 40;
const EPOCHS = 8;
const BATCH_SIZE = 64;
const MAX_ROWS = 33;
/** Rows with a smaller error of the probability are skipped. */
const MIN_ERROR = 5e-4;

export function fitNet(
  examples: readonly NetExample[],
  inputs: number,
  random: () => number,
  report: (text: string) => void,
): RescoringNet {
  const count = HIDDEN_UNITS * inputs + 2 * HIDDEN_UNITS;
  // The weights of one input are adjacent, so that inputs that are 0 cost nothing.
  const weights = Float64Array.from({ length: count }, () => (random() - 0.5) * 0.3);
  weights.fill(0, HIDDEN_UNITS * inputs, HIDDEN_UNITS * inputs + HIDDEN_UNITS);
  const gradient = new Float64Array(count);
  const mean = new Float64Array(count);
  const variance = new Float64Array(count);
  const units = new Float64Array(MAX_ROWS * HIDDEN_UNITS);
  const sums = new Float64Array(HIDDEN_UNITS);
  const scores = new Float64Array(MAX_ROWS);
  const biasAt = HIDDEN_UNITS * inputs;
  const secondAt = biasAt + HIDDEN_UNITS;
  /** Adds the gradient of one example and returns its loss in bits. */
  const learn = ({ features, rows, right }: NetExample): number => {
    for (let row = 0; row < rows; row += 1) {
      sums.set(weights.subarray(biasAt, secondAt));
      for (let at = 0; at < inputs; at += 1) {
        const value = features[row * inputs + at]!;
        if (value === 0) continue;
        const from = at * HIDDEN_UNITS;
        for (let unit = 0; unit < HIDDEN_UNITS; unit += 1) sums[unit]! += weights[from + unit]! * value;
      }
      let score = 0;
      for (let unit = 0; unit < HIDDEN_UNITS; unit += 1) {
        const value = Math.tanh(sums[unit]!);
        units[row * HIDDEN_UNITS + unit] = value;
        score += weights[secondAt + unit]! * value;
      }
      scores[row] = score;
    }
    softmax(scores, rows);
    for (let row = 0; row < rows; row += 1) {
      const error = scores[row]! - (row === right ? 1 : 0);
      if (Math.abs(error) < MIN_ERROR) continue;
      for (let unit = 0; unit < HIDDEN_UNITS; unit += 1) {
        const value = units[row * HIDDEN_UNITS + unit]!;
        gradient[secondAt + unit]! += error * value;
        const inner = error * weights[secondAt + unit]! * (1 - value * value);
        gradient[biasAt + unit]! += inner;
        sums[unit] = inner;
      }
      for (let at = 0; at < inputs; at += 1) {
        const value = features[row * inputs + at]!;
        if (value === 0) continue;
        const from = at * HIDDEN_UNITS;
        for (let unit = 0; unit < HIDDEN_UNITS; unit += 1) gradient[from + unit]! += sums[unit]! * value;
      }
    }
    return -Math.log2(Math.max(scores[right]!, 1e-9));
  };
  const order = Int32Array.from(examples, (_, index) => index);
  let step = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other]!, order[at]!];
    }
    const rate = 0.004 * (1 - epoch / EPOCHS) + 0.0003;
    let loss = 0;
    for (let from = 0; from < order.length; from += BATCH_SIZE) {
      gradient.fill(0);
      const to = Math.min(order.length, from + BATCH_SIZE);
      for (let at = from; at < to; at += 1) loss += learn(examples[order[at]!]!);
      step += 1;
      for (let at = 0; at < count; at += 1) {
        const own = gradient[at]! / (to - from) + 1e-5 * weights[at]!;
        mean[at] = 0.9 * mean[at]! + 0.1 * own;
        variance[at] = 0.99 * variance[at]! + 0.01 * own * own;
        const corrected = Math.sqrt(variance[at]! / (1 - 0.99 ** step)) + 1e-8;
        weights[at]! -= (rate * (mean[at]! / (1 - 0.9 ** step))) / corrected;
      }
    }
    report(`epoch ${epoch + 1}: ${(loss / examples.length).toFixed(3)} bits a token`);
  }
  return {
    inputs,
    hidden: HIDDEN_UNITS,
    first: Float32Array.from(
      { length: biasAt },
      (_, at) => weights[(at % inputs) * HIDDEN_UNITS + Math.floor(at / inputs)]!,
    ),
    firstBias: Float32Array.from(weights.subarray(biasAt, secondAt)),
    second: Float32Array.from(weights.subarray(secondAt)),
  };
}

export function bitsPerToken(net: RescoringNet, examples: readonly NetExample[]): number {
  const scores = new Float64Array(MAX_ROWS);
  const score = createScorer(net);
  let bits = 0;
  for (const { features, rows, right } of examples) {
    score(features, rows, scores);
    softmax(scores, rows);
    bits -= Math.log2(Math.max(scores[right]!, 1e-9));
  }
  return bits / examples.length;
}

const CALIBRATION_ROUNDS = 400;

/** A logistic regression by gradient descent with momentum. */
export function fitCalibration(
  outcomes: readonly { readonly facts: CompletionFacts; readonly isRight: boolean }[],
): Calibration {
  const rows = outcomes.map(({ facts, isRight }) => ({
    inputs: [1, ...calibrationInputs(facts)],
    truth: isRight ? 1 : 0,
  }));
  const weights = [0, 1, 0, 0, 0, 0];
  const speed = weights.map(() => 0);
  for (let round = 0; round < CALIBRATION_ROUNDS; round += 1) {
    const gradient = weights.map(() => 0);
    for (const { inputs, truth } of rows) {
      const sum = inputs.reduce((all, value, at) => all + value * weights[at]!, 0);
      const error = 1 / (1 + Math.exp(-sum)) - truth;
      for (const [at, value] of inputs.entries()) gradient[at]! += (error * value) / rows.length;
    }
    for (const at of weights.keys()) {
      speed[at] = 0.9 * speed[at]! - 0.05 * gradient[at]!;
      weights[at]! += speed[at]!;
    }
  }
  const [bias = 0, chance = 0, weakest = 0, tokens = 0, line = 0, begun = 0] = weights;
  return { bias, chance, weakest, tokens, line, begun };
}
