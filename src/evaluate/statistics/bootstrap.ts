import type { Cluster } from "./clusters.js";
import { createRandom } from "./random.js";

export type Interval = readonly [low: number, high: number];

export interface ResampleOptions {
  readonly resamples?: number;
  readonly seed?: number;
  /** Figures that follow from the means of a draw, such as a difference of two; NaN where a draw has none. */
  readonly derive?: (means: readonly number[]) => readonly number[];
}

const RESAMPLES = 2_000;
const SEED = 20_240_501;

/**
 * The 95 % percentile intervals of the means over all values, one per metric, from drawing whole clusters with
 * replacement, and after them those of the derived figures. Every metric sees the same draws. Null where a metric has
 * no values.
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
    // A draw without a single value of a metric has no mean; the overall interval then comes from the others.
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

/** Linear between neighbours, as numpy's default. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const low = sorted[below]!;
  return low + (sorted[Math.min(below + 1, sorted.length - 1)]! - low) * (position - below);
}
