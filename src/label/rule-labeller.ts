import { readFacts } from "./facts.js";
import { assign, LABELS, type Labeller } from "./labeller.js";
import { compileRule, type Rule } from "./rule.js";
import { NEWER_RULES, RULES } from "./rules.js";

/** What a label has without any rule for it. */
const BASE = 0.02;
/** Of a cell that is still being typed less is known: every label stays a little more probable. */
const PREFIX_BASE = 0.06;
const THRESHOLDS = { assigned: 0.5, possible: 0.05 };

/** Labels by rules alone: independent reasons, each wrong with the probability that its strength leaves. */
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
      const doubt = new Map(labels.map((label) => [label, 1 - base]));
      for (const { label, strength, matches } of compiled) {
        if (matches(facts)) doubt.set(label, (doubt.get(label) ?? 1) * (1 - strength));
      }
      return assign(
        labels,
        labels.map((label) => 1 - doubt.get(label)!),
        THRESHOLDS,
      );
    },
  };
}
