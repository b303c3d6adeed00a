import { RecommenderError } from "../../errors.js";
import type { Cluster } from "./clusters.js";

/** One seed, or notebook, in both results. */
export interface Paired {
  readonly id: string;
  readonly a: Cluster;
  readonly b: Cluster;
}

/** Two results over the same cases, paired. */
export interface Pairing {
  /** What is paired: `seed` or `notebook`, because their queries or cases are not independent. */
  readonly unit: string;
  readonly metrics: readonly string[];
  /** The main metric. */
  readonly decisive: string | undefined;
  readonly units: readonly Paired[];
  /**
   * Where the columns of the clusters are not those of the metrics: the columns of each metric, and how a figure is made
   * of their sums where it is no mean.
   */
  readonly spans?: readonly ColumnSpan[];
  /** Set if the counts depend on the answers, as the denominator of F1 does. */
  readonly ratios?: true;
  readonly better: (metric: string) => "higher" | "lower";
}

export interface ColumnSpan {
  readonly from: number;
  readonly to: number;
  readonly of?: (sums: readonly number[]) => number | null;
}

/** The clusters that both have, in the order of the first. */
export function pairClusters(a: readonly Cluster[], b: readonly Cluster[]): Paired[] {
  const others = new Map(b.map((cluster) => [cluster.id, cluster]));
  return a.flatMap((cluster) => {
    const other = others.get(cluster.id);
    return other === undefined ? [] : [{ id: cluster.id, a: cluster, b: other }];
  });
}

/** Throws unless both lists hold the same ids; `what` is what messages call them. */
export function requireSame<T>(what: string, a: readonly T[], b: readonly T[], idOf: (one: T) => string): void {
  const [inA, inB] = [new Set(a.map(idOf)), new Set(b.map(idOf))];
  const onlyA = [...inA].filter((id) => !inB.has(id));
  const onlyB = [...inB].filter((id) => !inA.has(id));
  if (onlyA.length + onlyB.length === 0) return;
  const example = onlyA[0] ?? onlyB[0];
  throw refusePairing(
    `they have different ${what}: ${onlyA.length} only in the first, ${onlyB.length} only in the second, for example ${example}`,
  );
}

export const refusePairing = (why: string): RecommenderError =>
  new RecommenderError(
    "INPUT_INVALID",
    `The two results cannot be compared: ${why}. Compare runs over the same cases.`,
  );
