import { RecommenderError } from "../../errors.js";
import { type Cluster, createRandom } from "./bootstrap.js";

const ROUNDS = 10_000;
const SEED = 20_240_502;

/** Numerator and denominator of a ratio, such as F1, in both runs; the denominator depends on the answers. */
export interface RatioPair {
  readonly a: readonly [sum: number, count: number];
  readonly b: readonly [sum: number, count: number];
}

/**
 * Two-sided p of a paired permutation test: under the null hypothesis, the sign of each difference is random. Up to
 * 2^13 sign patterns are enumerated (exact p); beyond, 10,000 are sampled, including the observed one. 1 if there is no
 * difference.
 */
export function permutationTest(differences: readonly number[], options: PermutationOptions = {}): number {
  // Pairs without a difference do not affect the statistic.
  const moved = Float64Array.from(differences.filter((difference) => difference !== 0));
  return trySigns(moved.length, options, (kept) => {
    let sum = 0;
    for (let at = 0; at < moved.length; at += 1) sum += kept[at] ? moved[at]! : -moved[at]!;
    return sum;
  });
}

/** The p of a difference of two ratios of sums: under the null hypothesis each pair can be swapped. */
export function permuteRatios(pairs: readonly RatioPair[], options: PermutationOptions = {}): number {
  const isMoved = ({ a, b }: RatioPair) => a[0] !== b[0] || a[1] !== b[1];
  const moved = pairs.filter(isMoved);
  const still = pairs.filter((pair) => !isMoved(pair));
  const [sum, count] = [0, 1].map((at) => still.reduce((total, { a }) => total + a[at as 0 | 1], 0)) as [
    number,
    number,
  ];
  return trySigns(moved.length, options, (kept) => {
    let [sumA, countA, sumB, countB] = [sum, count, sum, count];
    for (let at = 0; at < moved.length; at += 1) {
      const { a, b } = moved[at]!;
      const [one, other] = kept[at] ? [a, b] : [b, a];
      sumA += one[0];
      countA += one[1];
      sumB += other[0];
      countB += other[1];
    }
    return (countB === 0 ? 0 : sumB / countB) - (countA === 0 ? 0 : sumA / countA);
  });
}

/** The p of a difference of two figures computed from sums, such as BLEU. */
export function permuteSums(
  pairs: readonly SumsPair[],
  of: (sums: readonly number[]) => number,
  options: PermutationOptions = {},
): number {
  const columns = pairs[0]?.a.length ?? 0;
  const moved = pairs.filter(({ a, b }) => a.some((value, at) => value !== b[at]));
  const still = pairs.filter((pair) => !moved.includes(pair));
  const base = Array.from({ length: columns }, (_, at) => still.reduce((sum, { a }) => sum + a[at]!, 0));
  return trySigns(moved.length, options, (kept) => {
    const [one, other] = [[...base], [...base]];
    for (let pair = 0; pair < moved.length; pair += 1) {
      const { a, b } = moved[pair]!;
      const [first, second] = kept[pair] ? [a, b] : [b, a];
      for (let at = 0; at < columns; at += 1) {
        one[at]! += first[at]!;
        other[at]! += second[at]!;
      }
    }
    return of(other) - of(one);
  });
}

/** One unit's contribution to the sums of both runs. */
interface SumsPair {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

interface PermutationOptions {
  readonly rounds?: number;
  readonly seed?: number;
}

/** `statistic` gets 1 for every pair that is kept, and 0 for every swapped one. */
function trySigns(
  pairs: number,
  { rounds = ROUNDS, seed = SEED }: PermutationOptions,
  statistic: (kept: Uint8Array) => number,
): number {
  if (pairs === 0) return 1;
  const kept = new Uint8Array(pairs).fill(1);
  // Counts nearly equal values as ties, because sums in another order differ in the last bits.
  const observed = Math.abs(statistic(kept)) * (1 - 1e-12);
  const isExtreme = () => (Math.abs(statistic(kept)) >= observed ? 1 : 0);
  if (2 ** pairs <= rounds) {
    let extreme = 0;
    for (let pattern = 0; pattern < 2 ** pairs; pattern += 1) {
      for (let at = 0; at < pairs; at += 1) kept[at] = (pattern >> at) & 1;
      extreme += isExtreme();
    }
    return extreme / 2 ** pairs;
  }
  const random = createRandom(seed);
  let extreme = 1;
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < pairs; at += 1) kept[at] = random() < 0.5 ? 1 : 0;
    extreme += isExtreme();
  }
  return extreme / (rounds + 1);
}

/**
 * Holm's step-down correction: the adjusted p values, in their order. The family-wise error rate at .05 is at most 5
 * %.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, at) => at).sort((a, b) => ps[a]! - ps[b]!);
  const adjusted = new Array<number>(ps.length);
  let floor = 0;
  for (const [step, at] of order.entries()) {
    floor = Math.max(floor, Math.min(1, ps[at]! * (ps.length - step)));
    adjusted[at] = floor;
  }
  return adjusted;
}

/** One seed, or notebook, in both results. */
export interface Paired {
  readonly id: string;
  readonly a: Cluster;
  readonly b: Cluster;
}

/** Two results over the same cases, paired. */
export interface Pairing {
  /** The unit of the paired test: `seed` or `notebook`, because queries of one seed are not independent. */
  readonly unit: string;
  readonly metrics: readonly string[];
  /** The main metric. */
  readonly decisive: string | undefined;
  readonly units: readonly Paired[];
  /**
   * The columns of each metric, and how to compute a figure that is not a mean. Omitted if the columns of the clusters
   * are the metrics.
   */
  readonly spans?: readonly ColumnSpan[];
  /** Whether the counts depend on the answers, like the denominator of F1. */
  readonly ratios?: true;
  readonly better: (metric: string) => "higher" | "lower";
}

export interface ColumnSpan {
  readonly from: number;
  readonly to: number;
  readonly of?: (sums: readonly number[]) => number | null;
}

/** The clusters that both runs have, in the order of the first run. */
export function pairClusters(a: readonly Cluster[], b: readonly Cluster[]): Paired[] {
  const others = new Map(b.map((cluster) => [cluster.id, cluster]));
  return a.flatMap((cluster) => {
    const other = others.get(cluster.id);
    return other === undefined ? [] : [{ id: cluster.id, a: cluster, b: other }];
  });
}

/** Throws unless both lists have the same ids; `what` names the items in the message. */
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
