import { z } from "zod";

/**
 * Boosted trees over the features: what they tell together. A node is `[feature, threshold, left, right]`: a value up to the
 * threshold goes left; a child below 0 is the leaf `-child - 1`.
 */
export const treesSchema = z.object({
  /** Names of the features, in the order that the nodes count them. */
  features: z.array(z.string()),
  trees: z.array(
    z.object({
      nodes: z.array(z.tuple([z.int().min(0), z.number(), z.int(), z.int()])),
      leaves: z.array(z.number()).min(1),
    }),
  ),
});

export type Trees = z.infer<typeof treesSchema>;

/** Adds up what the trees say of a row of features, whose order is `names`. */
export function createTreeScore({ features, trees }: Trees, names: readonly string[]): (row: Float64Array) => number {
  // All nodes of all trees in flat arrays: there are a hundred trees to each candidate, and a hundred candidates.
  const feature: number[] = [];
  const threshold: number[] = [];
  const child: number[] = [];
  const leaves: number[] = [];
  const roots: number[] = [];
  for (const tree of trees) {
    const [firstNode, firstLeaf] = [feature.length, leaves.length];
    const place = (at: number) => (at < 0 ? at - firstLeaf : at + firstNode);
    roots.push(tree.nodes.length === 0 ? -1 - firstLeaf : firstNode);
    for (const [at, limit, left, right] of tree.nodes) {
      feature.push(names.indexOf(features[at]!));
      threshold.push(limit);
      child.push(place(left), place(right));
    }
    leaves.push(...tree.leaves);
  }
  const [at, limits, children] = [Int32Array.from(feature), Float64Array.from(threshold), Int32Array.from(child)];
  const values = Float64Array.from(leaves);
  return (row) => {
    let sum = 0;
    for (let node of roots) {
      while (node >= 0) node = children[2 * node + (row[at[node]!]! <= limits[node]! ? 0 : 1)]!;
      sum += values[-node - 1]!;
    }
    return sum;
  };
}
