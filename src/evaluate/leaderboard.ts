import { compareResults, type MetricComparison } from "./compare.js";
import type { SuiteDocument } from "./result-document.js";
import { holm } from "./statistics/permutation.js";
import { suiteOf } from "./suites/index.js";

/** A result with the name that tables give it. */
export interface NamedRun {
  readonly name: string;
  readonly document: SuiteDocument;
}

/** How one run differs from another in one metric. */
export interface RunPair
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

export interface LeaderboardRow {
  readonly name: string;
  readonly figures: Readonly<Record<string, number | null>>;
  readonly ci95: Readonly<Record<string, readonly [number, number]>>;
}

/** Any number of runs of one suite over the same cases; INPUT_INVALID where they were not the same. */
export function makeLeaderboard(runs: readonly NamedRun[]): Leaderboard {
  const compared = runs.flatMap((before, at) =>
    runs.slice(at + 1).map((after) => ({ before, after, result: compareResults(before.document, after.document) })),
  );
  const [first] = compared;
  const pairs = compared.flatMap(({ before, after, result }) =>
    result.metrics.map((one) => ({ before: before.name, after: after.name, ...only(one) })),
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

function only({ metric, better, a, b, difference, ci95, p, holm: adjusted }: MetricComparison) {
  return { metric, better, a, b, difference, ci95, p, holm: adjusted };
}
