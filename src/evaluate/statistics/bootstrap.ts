import type { Cluster } from "./clusters.js";
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

/** Numbers in [0, 1), the same for the same seed on every machine (xoshiro128** by Blackman and Vigna, 32 bits each). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  // splitmix32 fills the state: neighbouring seeds must not start alike, and the state must not be all zero.
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
