import { isDeepStrictEqual } from "node:util";
import { RecommenderError } from "../errors.js";
import { type Paired, pairUnits } from "./compare-units.js";
import { parseMetric } from "./metrics/index.js";
import type { ResultDocument } from "./result.js";
import { bootstrapIntervals, type Interval } from "./statistics/bootstrap.js";
import { holm } from "./statistics/holm.js";
import { permutationTest } from "./statistics/permutation.js";

/** A seed (or notebook) whose mean changed. */
export interface Moved {
  readonly id: string;
  readonly a: number;
  readonly b: number;
  readonly difference: number;
}

export interface MetricComparison {
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
  /** The largest changes for the better and for the worse, largest first, and how many there are of each. */
  readonly gains: readonly Moved[];
  readonly losses: readonly Moved[];
  readonly gained: number;
  readonly lost: number;
}

export interface Comparison {
  readonly suite: ResultDocument["suite"];
  /** What is paired: the queries of one seed, or the cases of one notebook, are not independent. */
  readonly unit: "seed" | "notebook";
  readonly units: number;
  /** Options in which the two runs differ. */
  readonly differs: readonly string[];
  readonly metrics: readonly MetricComparison[];
}

const MOST_MOVED = 10;

/**
 * How `b` differs from `a`, with a paired permutation test over seeds. INPUT_INVALID unless both were asked the same:
 * same suite, same seeds, same mutants.
 * @example compareResults(parseResult(before, "a.json"), parseResult(after, "b.json")).metrics[0].holm
 */
export function compareResults(a: ResultDocument, b: ResultDocument): Comparison {
  const { unit, units, metrics } = pairUnits(a, b);
  const compared = metrics.flatMap((metric, at) => compareMetric(metric, at, units) ?? []);
  if (compared.length === 0) {
    throw new RecommenderError("INPUT_INVALID", "the two results have no metric in common that both could measure");
  }
  const adjusted = holm(compared.map(({ p }) => p));
  return {
    suite: a.suite,
    unit,
    units: units.length,
    differs: differingOptions(a, b),
    metrics: compared.map((one, at) => ({ ...one, holm: adjusted[at]! })),
  };
}

function compareMetric(metric: string, at: number, units: readonly Paired[]): Omit<MetricComparison, "holm"> | null {
  // A unit that only one run could measure says nothing about the difference.
  const both = units.filter(({ a, b }) => a.counts[at]! > 0 && a.counts[at] === b.counts[at]);
  if (both.length === 0) return null;
  const count = both.reduce((sum, { a }) => sum + a.counts[at]!, 0);
  const total = (of: (unit: Paired) => number) => both.reduce((sum, unit) => sum + of(unit), 0) / count;
  const differences = both.map(({ a, b }) => b.sums[at]! - a.sums[at]!);
  const clusters = both.map(({ id, a }, row) => ({ id, sums: [differences[row]!], counts: [a.counts[at]!] }));
  const { better } = parseMetric(metric).metric;
  const moved = both
    .map((unit) => toMoved(unit, at))
    .sort((x, y) => y.difference - x.difference || (x.id < y.id ? -1 : 1));
  const risen = moved.filter(({ difference }) => difference > 0);
  const fallen = moved.filter(({ difference }) => difference < 0).reverse();
  const [gains, losses] = better === "higher" ? [risen, fallen] : [fallen, risen];
  return {
    metric,
    better,
    a: total(({ a }) => a.sums[at]!),
    b: total(({ b }) => b.sums[at]!),
    difference: differences.reduce((sum, difference) => sum + difference, 0) / count,
    ci95: bootstrapIntervals(clusters)[0]!,
    p: permutationTest(differences),
    gains: gains.slice(0, MOST_MOVED),
    losses: losses.slice(0, MOST_MOVED),
    gained: gains.length,
    lost: losses.length,
  };
}

function toMoved({ id, a, b }: Paired, at: number): Moved {
  const before = a.sums[at]! / a.counts[at]!;
  const after = b.sums[at]! / b.counts[at]!;
  return { id, a: before, b: after, difference: after - before };
}

function differingOptions(a: ResultDocument, b: ResultDocument): string[] {
  const options = { ...a.config, ...b.config };
  return Object.keys(options).filter((option) => !isDeepStrictEqual(a.config[option], b.config[option]));
}
