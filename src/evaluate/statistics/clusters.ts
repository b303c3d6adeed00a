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
  return mergeClusters(
    Array.from(rows, ({ id, values }) => ({
      id,
      sums: values.map((value) => value ?? 0),
      counts: values.map((value) => (value === null ? 0 : 1)),
    })),
  );
}

/** Adds up clusters of the same id: for figures that are no means but ratios, such as F1, where a row counts for more than one. */
export function mergeClusters(parts: Iterable<Cluster>): Cluster[] {
  const clusters = new Map<string, { id: string; sums: number[]; counts: number[] }>();
  for (const { id, sums, counts } of parts) {
    const known = clusters.get(id);
    if (known === undefined) {
      clusters.set(id, { id, sums: [...sums], counts: [...counts] });
      continue;
    }
    for (let at = 0; at < sums.length; at += 1) {
      known.sums[at]! += sums[at]!;
      known.counts[at]! += counts[at]!;
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

/** Items by key, keys in the order of appearance. (`Map.groupBy` is younger than Node 20.) */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
