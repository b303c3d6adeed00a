import type { Figures, Intervals } from "../result-document.js";

export type Interval = readonly [low: number, high: number];

interface ResampleOptions {
  readonly resamples?: number;
  readonly seed?: number;
  /** Computes further figures from the means of a resample, such as the difference of two means; NaN if undefined. */
  readonly derive?: (means: readonly number[]) => readonly number[];
}

const RESAMPLES = 2_000;
const SEED = 20_240_501;

/**
 * 95 % percentile intervals from resampling whole clusters with replacement: one per metric, then one per derived
 * figure. All metrics use the same resamples. Null if a metric has no values.
 */
export function bootstrapIntervals(
  clusters: readonly Cluster[],
  { resamples = RESAMPLES, seed = SEED, derive = () => [] }: ResampleOptions = {},
): (Interval | null)[] {
  const metrics = clusters[0]?.sums.length ?? 0;
  const random = createRandom(seed);
  const flat = flatten(clusters, metrics);
  const rounds: Float64Array[] = [];
  const drawn = new Float64Array(2 * metrics);
  for (let round = 0; round < resamples; round += 1) {
    drawn.fill(0);
    for (let draw = 0; draw < clusters.length; draw += 1) {
      const from = Math.floor(random() * clusters.length) * 2 * metrics;
      for (let at = 0; at < drawn.length; at += 1) drawn[at]! += flat[from + at]!;
    }
    // A resample without a value of a metric has no mean and is left out of that metric's interval.
    const means = Array.from({ length: metrics }, (_, at) => drawn[2 * at]! / drawn[2 * at + 1]!);
    for (const [at, figure] of [...means, ...derive(means)].entries()) {
      rounds[at] ??= new Float64Array(resamples).fill(Number.NaN);
      rounds[at][round] = figure;
    }
  }
  return rounds.map(percentiles);
}

/** Sum and count side by side, metric by metric, cluster by cluster: 2,000 x 10,000 draws are too many for objects. */
function flatten(clusters: readonly Cluster[], metrics: number): Float64Array {
  const flat = new Float64Array(clusters.length * 2 * metrics);
  for (const [row, { sums, counts }] of clusters.entries()) {
    for (let at = 0; at < metrics; at += 1) {
      flat[(row * metrics + at) * 2] = sums[at]!;
      flat[(row * metrics + at) * 2 + 1] = counts[at]!;
    }
  }
  return flat;
}

function percentiles(figures: Float64Array): Interval | null {
  const sorted = figures.filter((figure) => !Number.isNaN(figure)).sort();
  if (sorted.length === 0) return null;
  return [quantile(sorted, 0.025), quantile(sorted, 0.975)];
}

/** Interpolates linearly, like numpy's default. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const low = sorted[below]!;
  return low + (sorted[Math.min(below + 1, sorted.length - 1)]! - low) * (position - below);
}

/** Numbers in [0, 1), the same for the same seed on every machine (xoshiro128** by Blackman and Vigna, 32 bits each). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  // splitmix32 fills the state, so similar seeds give different sequences and the state is never all zero.
  const fill = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  let [a, b, c, d] = [fill(), fill(), fill(), fill()];
  return () => {
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return (scrambled >>> 0) / 2 ** 32;
  };
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** The values of one seed (or notebook). They are not independent, so they are resampled or swapped together. */
export interface Cluster {
  readonly id: string;
  /** Sum and number of the values of each metric. */
  readonly sums: readonly number[];
  readonly counts: readonly number[];
}

/**
 * Sums the values of each cluster, in the order of appearance. Null values count neither for the sum nor for the
 * number.
 */
export function clusterValues(rows: Iterable<{ id: string; values: readonly (number | null)[] }>): Cluster[] {
  return mergeClusters(
    Array.from(rows, ({ id, values }) => ({
      id,
      sums: values.map((value) => value ?? 0),
      counts: values.map((value) => (value === null ? 0 : 1)),
    })),
  );
}

/** Sums clusters with the same id: for ratios such as F1, where a row counts more than once. */
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

/** The mean over all values of all clusters, one per metric; null if there are none. */
export function clusterMeans(clusters: readonly Cluster[]): (number | null)[] {
  const [first] = clusters;
  if (first === undefined) return [];
  return first.sums.map((_, at) => {
    const count = clusters.reduce((sum, { counts }) => sum + counts[at]!, 0);
    return count === 0 ? null : clusters.reduce((sum, { sums }) => sum + sums[at]!, 0) / count;
  });
}

/** Groups items by key, keys in the order of appearance. Node 20 has no `Map.groupBy`. */
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

/** One query or case with the value of every metric, in the order of the names; null if it does not count. */
export interface Measured {
  readonly values: readonly (number | null)[];
}

/** The mean of every metric over these rows; null if no row counts. */
export function meansOf(names: readonly string[], rows: readonly Measured[]): Figures {
  return Object.fromEntries(
    names.map((name, at) => {
      let sum = 0;
      let count = 0;
      for (const { values } of rows) {
        const value = values[at];
        if (value === null || value === undefined) continue;
        sum += value;
        count += 1;
      }
      return [name, count === 0 ? null : sum / count];
    }),
  );
}

/** One row of means per key, keys in the order of appearance. */
export function meansBy<R extends Measured, K>(
  names: readonly string[],
  rows: readonly R[],
  keyOf: (row: R) => K,
): { key: K; queries: number; means: Figures }[] {
  return [...groupBy(rows, keyOf)].map(([key, group]) => ({
    key,
    queries: group.length,
    means: meansOf(names, group),
  }));
}

/** The 95 % interval of every mean, by resampling clusters. Metrics without a value have no interval. */
export function intervalsOf<R extends Measured>(
  names: readonly string[],
  rows: readonly R[],
  clusterOf: (row: R) => string,
): Intervals {
  const clusters = clusterValues(rows.map((row) => ({ id: clusterOf(row), values: row.values })));
  const intervals = bootstrapIntervals(clusters);
  return Object.fromEntries(
    names.flatMap((name, at) => {
      const interval = intervals[at] ?? null;
      return interval === null ? [] : [[name, [interval[0], interval[1]] as [number, number]]];
    }),
  );
}
