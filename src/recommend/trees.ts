import { z } from "zod";

/** An extra input of the trees: the distance of a candidate's linear score to the best score of the list. */
const GAP_INPUT = "gap";

/**
 * Regression trees, all nodes in one list. A leaf has feature -1; any other node goes left if its input is at most the
 * threshold. `value` is the score of a leaf, or the mean score below a node.
 */
export const treesSchema = z.object({
  /** Names of features, and `gap`. */
  inputs: z.array(z.string()),
  roots: z.array(z.int()),
  feature: z.array(z.int()),
  threshold: z.array(z.number()),
  left: z.array(z.int()),
  right: z.array(z.int()),
  value: z.array(z.number()),
});

export type Trees = z.infer<typeof treesSchema>;

/** Trees model interactions between features, for example that length matters less for short prefixes. */
export interface Boost {
  /** Adds the trees' scores to the linear scores of a query's candidates. */
  add(rows: readonly Float64Array[], scores: Float64Array): Float64Array;
  /**
   * The contribution of each feature through the trees (Saabas, 2014): the changes of the mean at the nodes that test
   * it. The contribution of the gap is left out.
   */
  explain(row: Float64Array, gap: number): Float64Array;
}

/** `names` are the features in the order of the rows. Throws if the trees need an input that is not among them. */
export function createBoost(trees: Trees, names: readonly string[]): Boost {
  const columns = trees.inputs.map((name) => (name === GAP_INPUT ? names.length : names.indexOf(name)));
  if (columns.includes(-1))
    throw new Error(`Trees look at ${trees.inputs[columns.indexOf(-1)]}, which is not a feature.`);
  const roots = Int32Array.from(trees.roots);
  // The column of each node; the gap is the last one, -1 marks a leaf.
  const column = Int16Array.from(trees.feature, (feature) => (feature === -1 ? -1 : columns[feature]!));
  const threshold = Float64Array.from(trees.threshold);
  const left = Int32Array.from(trees.left);
  const right = Int32Array.from(trees.right);
  const value = Float64Array.from(trees.value);

  // A feature row, followed by the gap.
  const inputs = new Float64Array(names.length + 1);
  const read = (row: Float64Array, gap: number) => {
    inputs.set(row);
    inputs[names.length] = gap;
  };
  return {
    add(rows, scores) {
      const best = highest(scores);
      const sums = Float64Array.from(scores);
      for (let index = 0; index < sums.length; index += 1) {
        read(rows[index]!, best - sums[index]!);
        let sum = sums[index]!;
        for (let tree = 0; tree < roots.length; tree += 1) {
          let at = roots[tree]!;
          for (let on = column[at]!; on !== -1; on = column[at]!)
            at = inputs[on]! <= threshold[at]! ? left[at]! : right[at]!;
          sum += value[at]!;
        }
        sums[index] = sum;
      }
      return sums;
    },
    explain(row, gap) {
      read(row, gap);
      const parts = new Float64Array(names.length + 1);
      for (const root of roots) {
        for (let at = root; column[at] !== -1; ) {
          const next = inputs[column[at]!]! <= threshold[at]! ? left[at]! : right[at]!;
          parts[column[at]!]! += value[next]! - value[at]!;
          at = next;
        }
      }
      return parts.subarray(0, names.length);
    },
  };
}

/** The highest number of a list; minus infinity for an empty one. */
export function highest(numbers: Float64Array): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < numbers.length; at += 1) best = Math.max(best, numbers[at]!);
  return best;
}
