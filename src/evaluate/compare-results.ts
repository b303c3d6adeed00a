import { isDeepStrictEqual } from "node:util";
import { RecommenderError } from "../errors.js";
import type { SuiteDocument } from "./result-document.js";
import { bootstrapIntervals, type Cluster, clusterMeans, type Interval } from "./statistics/bootstrap.js";
import {
  type ColumnSpan,
  holm,
  type Paired,
  type Pairing,
  permutationTest,
  permuteRatios,
  permuteSums,
  type RatioPair,
  refusePairing,
} from "./statistics/permutation.js";
import { suiteOf } from "./suites/index.js";

/** A seed or notebook with the change of its mean. */
interface ChangedUnit {
  readonly id: string;
  readonly a: number;
  readonly b: number;
  readonly difference: number;
}

interface MetricComparison {
  readonly metric: string;
  readonly better: "higher" | "lower";
  readonly a: number;
  readonly b: number;
  /** b - a. */
  readonly difference: number;
  readonly ci95: Interval;
  readonly p: number;
  /** p after Holm's correction over all metrics compared. */
  readonly holm: number;
  /** The largest improvements and deteriorations, largest first, and the number of each. */
  readonly gains: readonly ChangedUnit[];
  readonly losses: readonly ChangedUnit[];
  readonly gained: number;
  readonly lost: number;
}

export interface RunComparison {
  readonly suite: string;
  /** The unit of the paired test: `seed` or `notebook`, because queries of one seed are not independent. */
  readonly unit: string;
  readonly units: number;
  /** Options in which the two runs differ. */
  readonly differs: readonly string[];
  /** The main metric. */
  readonly decisive: string | null;
  readonly metrics: readonly MetricComparison[];
}

const MAX_CHANGED_UNITS = 10;

/**
 * Compares `b` with `a` by a paired permutation test over seeds or notebooks. INPUT_INVALID unless both have the same suite, seeds and mutants.
 * @example compareResults(parseResult(before, "a.json"), parseResult(after, "b.json")).metrics[0].holm
 */
export function compareResults(a: SuiteDocument, b: SuiteDocument): RunComparison {
  const pairing = pairResults(a, b);
  const { unit, units, metrics } = pairing;
  const compared = metrics.flatMap((metric, at) => compareMetric(metric, at, pairing) ?? []);
  if (compared.length === 0) {
    throw new RecommenderError("INPUT_INVALID", "The two results have no metric in common.");
  }
  const adjusted = holm(compared.map(({ p }) => p));
  return {
    suite: a.suite,
    unit,
    units: units.length,
    differs: differingOptions(a, b),
    decisive: pairing.decisive ?? null,
    metrics: compared.map((one, at) => ({ ...one, holm: adjusted[at]! })),
  };
}

function pairResults(a: SuiteDocument, b: SuiteDocument): Pairing {
  if (a.suite === b.suite) return suiteOf(a.suite).pair(a, b);
  throw refusePairing(`one is a result of the suite ${a.suite}, the other of ${b.suite}`);
}

type Unadjusted = Omit<MetricComparison, "holm">;

function compareMetric(metric: string, index: number, pairing: Pairing): Unadjusted | null {
  const span = pairing.spans?.[index];
  const better = pairing.better(metric);
  if (span?.of !== undefined)
    return { metric, better, ...compareSums(pairing.units, { ...span, of: span.of }, better) };
  const compared = compareMeans(span?.from ?? index, pairing, better);
  return compared && { metric, better, ...compared };
}

type Compared = Omit<Unadjusted, "metric" | "better">;

function compareMeans(at: number, { units, ratios }: Pairing, better: "higher" | "lower"): Compared | null {
  // Units that only one run could measure are left out of the difference. A ratio uses the sums over all units.
  const isMeasured = ({ a, b }: Paired) => a.counts[at]! > 0 && (ratios === true || a.counts[at] === b.counts[at]);
  const both = ratios === true ? units : units.filter(isMeasured);
  const [a, b] = clusterMeans(both.map((unit) => toClusterPair(unit, at)));
  if (a == null || b == null) return null;
  const moved = both
    .filter((unit) => isMeasured(unit) && unit.b.counts[at]! > 0)
    .map((unit) => toChangedUnit(unit, at));
  return {
    a,
    b,
    difference: b - a,
    ci95: bootstrapIntervals(
      both.map((unit) => toClusterPair(unit, at)),
      { derive: ([before, after]) => [after! - before!] },
    )[2]!,
    p: ratios === true ? permuteRatios(both.map((unit) => toRatios(unit, at))) : permutationTest(differences(both, at)),
    ...largestChanges(moved, better),
  };
}

/** Figures computed from sums over all units. */
function compareSums(
  units: readonly Paired[],
  { from, to, of }: Required<ColumnSpan>,
  better: "higher" | "lower",
): Compared {
  const figure = (sums: readonly number[]) => of(sums) ?? 0;
  const columns = to - from;
  const pairs = units.map(({ id, a, b }) => ({ id, a: a.sums.slice(from, to), b: b.sums.slice(from, to) }));
  const total = (side: "a" | "b") =>
    Array.from({ length: columns }, (_, at) => pairs.reduce((sum, pair) => sum + pair[side][at]!, 0));
  const [a, b] = [figure(total("a")), figure(total("b"))];
  const clusters = pairs.map((pair) => ({
    id: pair.id,
    sums: [...pair.a, ...pair.b],
    counts: new Array<number>(2 * columns).fill(1),
  }));
  const scaled = (means: readonly number[]) => figure(means.map((mean) => mean * units.length));
  const derive = (means: readonly number[]) => [scaled(means.slice(columns)) - scaled(means.slice(0, columns))];
  const moved = pairs.map((pair) => {
    const [before, after] = [figure(pair.a), figure(pair.b)];
    return { id: pair.id, a: before, b: after, difference: after - before };
  });
  return {
    a,
    b,
    difference: b - a,
    ci95: bootstrapIntervals(clusters, { derive })[2 * columns]!,
    p: permuteSums(pairs, figure),
    ...largestChanges(moved, better),
  };
}

function largestChanges(
  units: readonly ChangedUnit[],
  better: "higher" | "lower",
): Pick<MetricComparison, "gains" | "losses" | "gained" | "lost"> {
  const moved = units.toSorted((x, y) => y.difference - x.difference || (x.id < y.id ? -1 : 1));
  const risen = moved.filter(({ difference }) => difference > 0);
  const fallen = moved.filter(({ difference }) => difference < 0).reverse();
  const [gains, losses] = better === "higher" ? [risen, fallen] : [fallen, risen];
  return {
    gains: gains.slice(0, MAX_CHANGED_UNITS),
    losses: losses.slice(0, MAX_CHANGED_UNITS),
    gained: gains.length,
    lost: losses.length,
  };
}

/** One metric of both runs as two columns of a cluster, so that both are resampled together. */
function toClusterPair({ id, a, b }: Paired, at: number): Cluster {
  return { id, sums: [a.sums[at]!, b.sums[at]!], counts: [a.counts[at]!, b.counts[at]!] };
}

function toRatios({ a, b }: Paired, at: number): RatioPair {
  return { a: [a.sums[at]!, a.counts[at]!], b: [b.sums[at]!, b.counts[at]!] };
}

const differences = (units: readonly Paired[], at: number): number[] =>
  units.map(({ a, b }) => b.sums[at]! - a.sums[at]!);

function toChangedUnit({ id, a, b }: Paired, at: number): ChangedUnit {
  const before = a.sums[at]! / a.counts[at]!;
  const after = b.sums[at]! / b.counts[at]!;
  return { id, a: before, b: after, difference: after - before };
}

function differingOptions(a: SuiteDocument, b: SuiteDocument): string[] {
  const options = { ...a.config, ...b.config };
  return Object.keys(options).filter((option) => !isDeepStrictEqual(a.config[option], b.config[option]));
}

/** A result with its name in tables. */
export interface NamedRun {
  readonly name: string;
  readonly document: SuiteDocument;
}

/** The difference of two runs in one metric. */
interface RunPair
  extends Pick<MetricComparison, "metric" | "better" | "a" | "b" | "difference" | "ci95" | "p" | "holm"> {
  readonly before: string;
  readonly after: string;
}

export interface Leaderboard {
  readonly suite: string;
  readonly unit: string;
  readonly units: number;
  /** Options in which some of the runs differ. */
  readonly differs: readonly string[];
  /** The main metric. */
  readonly decisive: string | null;
  readonly metrics: readonly { readonly name: string; readonly better: "higher" | "lower" }[];
  /** Best main metric first. */
  readonly runs: readonly LeaderboardRow[];
  /** All pairs of runs in every metric; `holm` is p corrected over the metrics in which any runs differ. */
  readonly pairs: readonly RunPair[];
  /** Number of comparisons in the correction. */
  readonly comparisons: number;
}

interface LeaderboardRow {
  readonly name: string;
  readonly figures: Readonly<Record<string, number | null>>;
  readonly ci95: Readonly<Record<string, readonly [number, number]>>;
}

/** Compares any number of runs of one suite. INPUT_INVALID unless they used the same cases. */
export function makeLeaderboard(runs: readonly NamedRun[]): Leaderboard {
  const compared = runs.flatMap((before, at) =>
    runs.slice(at + 1).map((after) => ({ before, after, result: compareResults(before.document, after.document) })),
  );
  const [first] = compared;
  const pairs = compared.flatMap(({ before, after, result }) =>
    result.metrics.map((one) => ({ before: before.name, after: after.name, ...toRunPair(one) })),
  );
  // A metric that is equal in all runs is not tested.
  const open = new Set(pairs.flatMap(({ metric, difference }) => (difference === 0 ? [] : [metric])));
  const tested = pairs.filter(({ metric }) => open.has(metric));
  const adjusted = new Map(holm(tested.map(({ p }) => p)).map((value, at) => [tested[at], value]));
  const { suite, unit, units, decisive, metrics } = first!.result;
  const rows = runs.map(({ name, document }): LeaderboardRow => {
    return { name, figures: suiteOf(document.suite).figures(document), ci95: document.ci95 };
  });
  const sign = metrics.find(({ metric }) => metric === decisive)?.better === "lower" ? -1 : 1;
  const value = ({ figures }: LeaderboardRow) => sign * (figures[decisive ?? ""] ?? Number.NEGATIVE_INFINITY);
  return {
    suite,
    unit,
    units,
    differs: [...new Set(compared.flatMap(({ result }) => result.differs))],
    decisive,
    metrics: metrics.map(({ metric, better }) => ({ name: metric, better })),
    runs: rows.toSorted((a, b) => value(b) - value(a)),
    pairs: pairs.map((pair) => ({ ...pair, holm: adjusted.get(pair) ?? 1 })),
    comparisons: tested.length,
  };
}

function toRunPair({ metric, better, a, b, difference, ci95, p, holm: adjusted }: MetricComparison) {
  return { metric, better, a, b, difference, ci95, p, holm: adjusted };
}
