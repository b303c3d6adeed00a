import { bootstrapIntervals, clusterValues, type Interval } from "./bootstrap.js";

/** A correlation in -1..1 with its 95 % interval; null if one of the variables is constant. */
interface Correlation {
  readonly value: number | null;
  readonly interval: Interval | null;
}

/** Two values of one query, and the seed or notebook that it belongs to. */
interface Pair {
  readonly cluster: string;
  readonly x: number;
  readonly y: number;
}

/** Pearson's correlation. The interval comes from resampling whole clusters. */
export function pearson(pairs: readonly Pair[]): Correlation {
  const rows = pairs.map(({ cluster, x, y }) => ({ id: cluster, values: [x, y, x * x, y * y, x * y] }));
  const means = [0, 1, 2, 3, 4].map((at) => rows.reduce((sum, { values }) => sum + values[at]!, 0) / rows.length);
  const value = ofMoments(means);
  if (Number.isNaN(value)) return { value: null, interval: null };
  const clusters = clusterValues(rows);
  // Resampling a single cluster gives no interval.
  const intervals = clusters.length < 2 ? [] : bootstrapIntervals(clusters, { derive: (drawn) => [ofMoments(drawn)] });
  return { value, interval: intervals[means.length] ?? null };
}

/**
 * Spearman's correlation: Pearson's correlation of the ranks, with mean ranks for ties. Ranks are not recomputed in a
 * resample.
 */
export function spearman(pairs: readonly Pair[]): Correlation {
  const xs = ranksOf(pairs.map(({ x }) => x));
  const ys = ranksOf(pairs.map(({ y }) => y));
  return pearson(pairs.map(({ cluster }, at) => ({ cluster, x: xs[at]!, y: ys[at]! })));
}

/** A variance below this share of the squared mean counts as a rounding error. */
const ROUNDING = 1e-12;

function ofMoments([x, y, xx, yy, xy]: readonly number[]): number {
  const varianceX = xx! - x! * x!;
  const varianceY = yy! - y! * y!;
  if (!(varianceX > ROUNDING * xx!) || !(varianceY > ROUNDING * yy!)) return Number.NaN;
  return Math.max(-1, Math.min(1, (xy! - x! * y!) / Math.sqrt(varianceX * varianceY)));
}

/** Ranks from 1; equal values get the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to += 1;
    for (let at = from; at < to; at += 1) ranks[order[at]!] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}
