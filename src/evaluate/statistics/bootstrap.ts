import type { Cluster } from "./clusters.js";
import { createRandom } from "./random.js";

export type Interval = readonly [low: number, high: number];

export interface ResampleOptions {
  readonly resamples?: number;
  readonly seed?: number;
}

const RESAMPLES = 2_000;
const SEED = 20_240_501;

/**
 * The 95 % percentile intervals of the means over all values, one per metric, from drawing whole clusters with
 * replacement. Every metric sees the same draws. Null where a metric has no values.
 */
export function bootstrapIntervals(
  clusters: readonly Cluster[],
  { resamples = RESAMPLES, seed = SEED }: ResampleOptions = {},
): (Interval | null)[] {
  const metrics = clusters[0]?.sums.length ?? 0;
  const random = createRandom(seed);
  const flat = flatten(clusters, metrics);
  const means = Array.from({ length: metrics }, () => new Float64Array(resamples));
  const drawn = new Float64Array(2 * metrics);
  for (let round = 0; round < resamples; round += 1) {
    drawn.fill(0);
    for (let draw = 0; draw < clusters.length; draw += 1) {
      const from = Math.floor(random() * clusters.length) * 2 * metrics;
      for (let at = 0; at < drawn.length; at += 1) drawn[at]! += flat[from + at]!;
    }
    // A draw without a single value of a metric has no mean; the overall interval then comes from the others.
    for (let at = 0; at < metrics; at += 1) means[at]![round] = drawn[2 * at]! / drawn[2 * at + 1]!;
  }
  return means.map(percentiles);
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

function percentiles(means: Float64Array): Interval | null {
  const sorted = means.filter((mean) => !Number.isNaN(mean)).sort();
  if (sorted.length === 0) return null;
  return [quantile(sorted, 0.025), quantile(sorted, 0.975)];
}

/** Linear between neighbours, as numpy's default. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below]!;
  return low + (sorted[Math.min(below + 1, sorted.length - 1)]! - low) * (place - below);
}
