import { COMPONENT_COUNT, type Predictions } from "./predict.js";

/** The weights of the components. They depend on the lengths of the longest known contexts. */
export interface MixtureWeights {
  /** COMPONENT_COUNT weights for each bin. */
  readonly bins: Float32Array;
}

const PRIOR_LEVELS = 7;
const INDEX_LEVELS = 6;
const NOTEBOOK_LEVELS = 6;
export const BIN_COUNT = PRIOR_LEVELS * INDEX_LEVELS * NOTEBOOK_LEVELS;

/** The bin for the context lengths that the prior, the index and the notebook match. */
export function binOf(matched: Uint8Array): number {
  const prior = Math.min(matched[0]!, PRIOR_LEVELS - 1);
  const index = Math.min(matched[2]!, INDEX_LEVELS - 1);
  const notebook = Math.min(matched[3]!, NOTEBOOK_LEVELS - 1);
  return (prior * INDEX_LEVELS + index) * NOTEBOOK_LEVELS + notebook;
}

/** The candidates with the highest mixed probability, best first, at most `max`. */
export interface Mixed {
  count: number;
  /** The positions of the candidates among the predictions. */
  readonly slots: Int32Array;
  readonly shares: Float64Array;
  /** Share of the predictions for variables that the notebook does not have. */
  unbound: number;
}

export function createMixed(max: number): Mixed {
  return { count: 0, unbound: 0, slots: new Int32Array(max), shares: new Float64Array(max) };
}

/**
 * Mixes the predictions of the components. If tokens of a component were rejected, its other shares are scaled up, so
 * the sum is nearly 1 if any component knows the context.
 */
export function mix(predictions: Predictions, weights: MixtureWeights, into: Mixed): void {
  const { count, shares, mass, unbound, matched, capacity } = predictions;
  const offset = binOf(matched) * COMPONENT_COUNT;
  const factor = new Float64Array(COMPONENT_COUNT);
  let all = 1e-9;
  let missing = 0;
  for (let component = 0; component < COMPONENT_COUNT; component += 1) {
    all += weights.bins[offset + component]! * mass[component]!;
    missing += weights.bins[offset + component]! * unbound[component]!;
  }
  into.unbound = missing / (missing + all);
  for (let component = 0; component < COMPONENT_COUNT; component += 1)
    factor[component] = weights.bins[offset + component]! / all;
  const max = into.slots.length;
  into.count = 0;
  for (let slot = 0; slot < count; slot += 1) {
    let share = 0;
    for (let component = 0; component < COMPONENT_COUNT; component += 1)
      share += factor[component]! * shares[component * capacity + slot]!;
    if (into.count === max && share <= into.shares[max - 1]!) continue;
    let at = into.count === max ? max - 1 : into.count;
    while (at > 0 && into.shares[at - 1]! < share) {
      into.shares[at] = into.shares[at - 1]!;
      into.slots[at] = into.slots[at - 1]!;
      at -= 1;
    }
    into.shares[at] = share;
    into.slots[at] = slot;
    if (into.count < max) into.count += 1;
  }
}
