import type { Labelling } from "./labeller.js";

/** One number for all labels, or one per label in the order of the set. */
export interface Thresholds {
  readonly assigned: number | readonly number[];
  readonly possible: number | readonly number[];
}

/** Turns probabilities, one per label in the set's order, into an answer. Equal probabilities keep that order. */
export function assign(labels: readonly string[], probabilities: readonly number[], thresholds: Thresholds): Labelling {
  const all = labels.map((label, at) => ({ label, probability: probabilities[at]!, at }));
  const best = all.toSorted((one, other) => other.probability - one.probability);
  const isAssigned = ({ probability, at }: (typeof all)[number]) => probability >= thresholdOf(thresholds.assigned, at);
  const assigned = best.filter(isAssigned);
  return {
    labels: assigned.map(({ label, probability }) => ({ label, probability })),
    primary: assigned[0]?.label ?? null,
    probabilities: Object.fromEntries(all.map(({ label, probability }) => [label, probability])),
    possible: best
      .filter((entry) => isAssigned(entry) || entry.probability >= thresholdOf(thresholds.possible, entry.at))
      .map(({ label }) => label),
  };
}

function thresholdOf(threshold: number | readonly number[], at: number): number {
  return typeof threshold === "number" ? threshold : threshold[at]!;
}
