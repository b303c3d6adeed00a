import type { FeatureValues } from "./feature-values.js";
import type { ModelPart } from "./model.js";

/** Weights as the processor likes them. */
export interface Scorer {
  /** The calibrated probability; the mean of both models' logits, since a mean of logits can be told apart by feature. */
  probability(values: FeatureValues, present: readonly number[]): number;
  /** What each feature adds to the logit, and the logit that is left without any. */
  contributions(values: FeatureValues, present: readonly number[]): { base: number; byFeature: Map<number, number> };
}

/** Each of the two models has half a say. */
const SHARE = 0.5;

export function createScorer({ linear, trees, calibration }: ModelPart, features: number): Scorer {
  const [slope, offset] = calibration;
  const weights = new Float64Array(features);
  for (const [at, feature] of linear.feature.entries()) weights[feature] = linear.weight[at]!;
  const feature = Int16Array.from(trees.feature);
  const threshold = Float64Array.from(trees.threshold);
  const skip = Int32Array.from(trees.skip);
  const value = Float64Array.from(trees.value);
  const starts = Int32Array.from(trees.starts);

  return {
    probability(values, present) {
      let linearScore = linear.bias;
      for (const at of present) linearScore += weights[at]! * values[at]!;
      let treeScore = 0;
      for (let tree = 0; tree < starts.length; tree += 1) {
        let node = starts[tree]!;
        for (let at = feature[node]!; at !== -1; at = feature[node]!) {
          node += values[at]! > threshold[node]! ? skip[node]! : 1;
        }
        treeScore += value[node]!;
      }
      return sigmoid(slope * SHARE * (linearScore + treeScore) + offset);
    },
    contributions(values, present) {
      const byFeature = new Map<number, number>();
      const scale = slope * SHARE;
      const add = (at: number, amount: number) => byFeature.set(at, (byFeature.get(at) ?? 0) + scale * amount);
      for (const at of present) if (weights[at] !== 0) add(at, weights[at]! * values[at]!);
      let base = linear.bias;
      for (const start of starts) {
        base += value[start]!;
        let node = start;
        for (let at = feature[node]!; at !== -1; at = feature[node]!) {
          const next = node + (values[at]! > threshold[node]! ? skip[node]! : 1);
          // The feature that was asked is the reason why the expected score changed.
          add(at, value[next]! - value[node]!);
          node = next;
        }
      }
      return { base: scale * base + offset, byFeature };
    },
  };
}

export function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}
