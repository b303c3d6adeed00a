import { readFacts } from "./facts.js";
import { createValueReader } from "./feature-values.js";
import type { CompiledRule } from "./features.js";
import type { LabelHead, Labeller } from "./labeller.js";
import { assign } from "./labelling.js";
import type { LabelModel } from "./model.js";
import { compileRule, type Rule } from "./rule.js";
import { createScorer, sigmoid } from "./score.js";

/** What a feature did for a label: positive speaks for it. Amounts are logits. */
export interface Contribution {
  readonly feature: string;
  readonly amount: number;
}

/** Why a label has its probability: the logit is `base` plus all contributions, strongest first. */
export interface Explanation {
  readonly label: string;
  readonly probability: number;
  readonly base: number;
  readonly contributions: readonly Contribution[];
}

export interface ExplainingLabeller extends Labeller {
  /** One entry per label, in the order of the set. */
  explain(code: string, head: LabelHead): Explanation[];
}

/** What a label that only rules know has without them. */
const UNTRAINED = { cell: 0.01, prefix: 0.05 };
const UNTRAINED_THRESHOLDS = { assigned: 0.5, possible: 0.05 };

/** Labels with a trained model; `rules` are features of it. `added` rules are not: they speak on top, for any label. */
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
      // Nothing does nothing; what it is going to be is open.
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

/** Lets the rules that the model does not know move the logit as they moved the probability. */
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
