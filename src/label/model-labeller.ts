import { readFacts } from "./facts.js";
import { type CompiledRule, createValueReader, type FeatureValues } from "./features.js";
import { assign, type LabelHead, type Labeller } from "./labeller.js";
import type { LabelModel, ModelPart } from "./model.js";
import { compileRule, type Rule } from "./rule.js";

/** What a feature adds to a label's logit. */
export interface Contribution {
  readonly feature: string;
  readonly amount: number;
}

/** Why a label has its probability: the logit is `base` plus all contributions, strongest first. */
interface Explanation {
  readonly label: string;
  readonly probability: number;
  readonly base: number;
  readonly contributions: readonly Contribution[];
}

export interface ExplainingLabeller extends Labeller {
  /** One entry per label, in the order of the set. */
  explain(code: string, head: LabelHead): Explanation[];
}

/** Base probability of a label that only rules assign. */
const UNTRAINED = { cell: 0.01, prefix: 0.05 };
const UNTRAINED_THRESHOLDS = { assigned: 0.5, possible: 0.05 };

/** Labels with a trained model. `rules` are features of it; `added` rules are applied on top, for any label. */
export function createModelLabeller(
  model: LabelModel,
  rules: readonly Rule[],
  added: readonly Rule[] = [],
): ExplainingLabeller {
  const compiled = rules.map(compile);
  const extra = added.map(compile);
  const labels = [...new Set([...model.labels, ...added.map(({ label }) => label)])];
  const heads = { cell: openHead(model, "cell", labels), prefix: openHead(model, "prefix", labels) };
  const readValues = createValueReader(model.features, compiled);

  return {
    id: model.id,
    labels,
    label(code, head) {
      const { scorers, thresholds } = heads[head];
      const facts = readFacts(code);
      const probabilities = readValues(facts, (values, present) =>
        labels.map((_, at) => scorers[at]?.probability(values, present) ?? UNTRAINED[head]),
      );
      for (const { label, strength, matches } of extra) {
        const at = labels.indexOf(label);
        if (matches(facts)) probabilities[at] = 1 - (1 - probabilities[at]!) * (1 - strength);
      }
      const answer = assign(labels, probabilities, thresholds);
      // An empty cell has no label; an empty prefix may become anything.
      return code.trim() === "" ? { ...answer, labels: [], primary: null, possible: labels } : answer;
    },
    explain(code, head) {
      const facts = readFacts(code);
      const spoken = extra.filter(({ matches }) => matches(facts));
      return readValues(facts, (values, present) =>
        labels.map((label, at) => {
          const { base, byFeature } = heads[head].scorers[at]?.contributions(values, present) ?? {
            base: logit(UNTRAINED[head]),
            byFeature: new Map<number, number>(),
          };
          // A feature that the cell lacks can decide, too.
          const name = (feature: number) => `${values[feature] === 0 ? "no " : ""}${model.features[feature]!}`;
          const contributions = [...byFeature].map(([feature, amount]) => ({ feature: name(feature), amount }));
          return addRules({ label, base, contributions }, spoken);
        }),
      );
    },
  };
}

function compile(rule: Rule): CompiledRule {
  return { ...rule, matches: compileRule(rule) };
}

function openHead(model: LabelModel, head: LabelHead, labels: readonly string[]) {
  const parts = model.parts[head];
  return {
    scorers: parts.map((part) => createScorer(part, model.features.length)),
    thresholds: {
      assigned: labels.map((_, at) => parts[at]?.threshold ?? UNTRAINED_THRESHOLDS.assigned),
      possible: labels.map((_, at) => parts[at]?.possible ?? UNTRAINED_THRESHOLDS.possible),
    },
  };
}

/** Applies the added rules to the logit. */
function addRules(
  { label, base, contributions }: Omit<Explanation, "probability">,
  rules: readonly CompiledRule[],
): Explanation {
  let score = contributions.reduce((sum, { amount }) => sum + amount, base);
  const all = [...contributions];
  for (const rule of rules) {
    if (rule.label !== label) continue;
    const raised = logit(1 - (1 - sigmoid(score)) * (1 - rule.strength));
    all.push({ feature: `rule ${rule.name}`, amount: raised - score });
    score = raised;
  }
  all.sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount));
  return { label, probability: sigmoid(score), base, contributions: all };
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** A model part in typed arrays, for speed. */
interface Scorer {
  /** The calibrated probability of the mean of both models' logits; a mean of logits can be attributed to features. */
  probability(values: FeatureValues, present: readonly number[]): number;
  /** What each feature adds to the logit, and the logit that is left without any. */
  contributions(values: FeatureValues, present: readonly number[]): { base: number; byFeature: Map<number, number> };
}

/** The linear model and the trees count half each. */
const SHARE = 0.5;

function createScorer({ linear, trees, calibration }: ModelPart, features: number): Scorer {
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
          // The change of the expected score is attributed to the feature of the node.
          add(at, value[next]! - value[node]!);
          node = next;
        }
      }
      return { base: scale * base + offset, byFeature };
    },
  };
}

function sigmoid(score: number): number {
  return 1 / (1 + Math.exp(-score));
}
