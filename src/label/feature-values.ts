import type { Facts } from "./facts.js";
import { type CompiledRule, emitFeatures } from "./features.js";

/** Values of all features of one cell, in the order of the model's list. */
export type FeatureValues = Float64Array;

/** Fills one array for each cell and empties it again: a fresh array per cell would cost more than the model. */
export function createValueReader(features: readonly string[], rules: readonly CompiledRule[]) {
  const indexes = groupIndexes(features);
  const values = new Float64Array(features.length);
  return <T>(facts: Facts, read: (values: FeatureValues, present: readonly number[]) => T): T => {
    const present: number[] = [];
    emitFeatures(facts, rules, (group, name, value) => {
      const at = indexes.get(group)?.get(name);
      if (at === undefined || values[at] !== 0) return;
      values[at] = value;
      present.push(at);
    });
    const result = read(values, present);
    for (const at of present) values[at] = 0;
    return result;
  };
}

/** Group, then name: see `FeatureSink`. */
function groupIndexes(features: readonly string[]): Map<string, Map<string, number>> {
  const indexes = new Map<string, Map<string, number>>();
  for (const [at, feature] of features.entries()) {
    const space = feature.indexOf(" ");
    const group = space === -1 ? feature : feature.slice(0, space);
    if (!indexes.has(group)) indexes.set(group, new Map());
    indexes.get(group)!.set(space === -1 ? "" : feature.slice(space + 1), at);
  }
  return indexes;
}
