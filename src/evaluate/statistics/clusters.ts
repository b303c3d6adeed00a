/**
 * Values that belong together, because one seed (or notebook) made them: its queries are not independent, so it is
 * drawn, or swapped, as a whole.
 */
export interface Cluster {
  readonly id: string;
  /** One per metric: the sum of the values, and how many there are. */
  readonly sums: readonly number[];
  readonly counts: readonly number[];
}

/** Adds up the values of each cluster; null values are left out of sum and count. Clusters in the order of appearance. */
export function clusterValues(rows: Iterable<{ id: string; values: readonly (number | null)[] }>): Cluster[] {
  const clusters = new Map<string, { id: string; sums: number[]; counts: number[] }>();
  for (const { id, values } of rows) {
    let cluster = clusters.get(id);
    if (cluster === undefined) {
      cluster = { id, sums: values.map(() => 0), counts: values.map(() => 0) };
      clusters.set(id, cluster);
    }
    for (const [at, value] of values.entries()) {
      if (value === null) continue;
      cluster.sums[at]! += value;
      cluster.counts[at]! += 1;
    }
  }
  return [...clusters.values()];
}

/** The mean over all values of all clusters, one per metric; null where there are none. */
export function clusterMeans(clusters: readonly Cluster[]): (number | null)[] {
  const [first] = clusters;
  if (first === undefined) return [];
  return first.sums.map((_, at) => {
    const count = clusters.reduce((sum, { counts }) => sum + counts[at]!, 0);
    return count === 0 ? null : clusters.reduce((sum, { sums }) => sum + sums[at]!, 0) / count;
  });
}
