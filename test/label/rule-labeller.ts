import { readFacts } from "../../src/label/facts.js";
import { assignLabels, LABELS, type Labeller } from "../../src/label/labeller.js";
import { compileRule, type Rule } from "../../src/label/rule.js";
import { NEWER_RULES, RULES } from "../../src/label/rules.js";

/** Base probability of a label that no rule supports. */
const BASE = 0.02;
/** Higher for prefixes, because less code is known. */
const PREFIX_BASE = 0.06;
const THRESHOLDS = { assigned: 0.5, possible: 0.05 };

/** A labeller without a model, for tests. Labels by rules alone (noisy-or): a rule is wrong with probability 1 - strength, independently of the others. */
export function createRuleLabeller(
  rules: readonly Rule[] = [...RULES, ...NEWER_RULES],
  labels: readonly string[] = LABELS,
): Labeller {
  const compiled = rules.map((rule) => ({ ...rule, matches: compileRule(rule) }));
  return {
    id: `rules-${rules.length}`,
    labels,
    label(code, head) {
      const facts = readFacts(code);
      const base = head === "prefix" ? PREFIX_BASE : BASE;
      const misses = new Map(labels.map((label) => [label, 1 - base]));
      for (const { label, strength, matches } of compiled) {
        if (matches(facts)) misses.set(label, (misses.get(label) ?? 1) * (1 - strength));
      }
      return assignLabels(
        labels,
        labels.map((label) => 1 - misses.get(label)!),
        THRESHOLDS,
      );
    },
  };
}
