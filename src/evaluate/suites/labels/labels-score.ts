import type { Figures, Intervals } from "../../result-document.js";
import {
  bootstrapIntervals,
  type Cluster,
  clusterMeans,
  type Interval,
  mergeClusters,
} from "../../statistics/bootstrap.js";
import { type Pairing, pairClusters, refusePairing, requireSame } from "../../statistics/permutation.js";
import type { LabelledCell, LabelsResult } from "./labels-result.js";

export interface LabelScores {
  readonly metrics: Figures;
  readonly ci95: Intervals;
  readonly byLabel: ReadonlyMap<string, { readonly figures: Figures; readonly ci95: Intervals }>;
}

const SUMMARY_METRICS = ["micro-precision", "micro-recall", "micro-f1", "exact-set", "prefix-met", "prefix-kept"];

/** The columns of a cluster: the figures over all labels, then precision, recall and F1 of every label. */
function labelColumns(labels: readonly string[]): string[] {
  return [...SUMMARY_METRICS, ...labels.flatMap((label) => RATIO_NAMES.map((ratio) => columnOf(ratio, label)))];
}

const columnOf = (ratio: RatioName, label: string): string => `${ratio} ${label}`;

/** The contribution of each notebook to the columns. */
function clusterCells(cells: readonly LabelledCell[], labels: readonly string[]): Cluster[] {
  return mergeClusters(cells.map((cell) => toCluster(cell, labels)));
}

/**
 * Precision, recall and F1 over all labels (micro), per label, and as mean over the labels (macro). Intervals resample
 * notebooks.
 */
export function scoreLabels(cells: readonly LabelledCell[], labels: readonly string[]): LabelScores {
  const columns = labelColumns(labels);
  const clusters = clusterCells(cells, labels);
  const means = clusterMeans(clusters);
  const macro = (ratios: readonly number[]) => RATIO_NAMES.map((_, at) => macroOf(ratios, at));
  const all = bootstrapIntervals(clusters, { derive: macro });
  const names = [...columns, ...RATIO_NAMES.map((ratio) => `macro-${ratio}`)];
  const values = [...means, ...macro(means.map((mean) => mean ?? Number.NaN)).map(orNull)];
  const value = new Map(names.map((name, at) => [name, values[at] ?? null]));
  const interval = new Map(names.map((name, at) => [name, all[at] ?? null]));
  const summary = names.filter((name) => !name.includes(" ") && value.get(name) !== null);
  const f1s = labels.flatMap((label) => value.get(columnOf("f1", label)) ?? []);
  return {
    metrics: {
      ...Object.fromEntries(summary.map((name) => [name, value.get(name)!])),
      "lowest-f1": f1s.length === 0 ? null : Math.min(...f1s),
    },
    ci95: toIntervals(summary.map((name) => [name, interval.get(name)])),
    byLabel: new Map(
      labels.map((label) => [
        label,
        {
          figures: Object.fromEntries(RATIO_NAMES.map((ratio) => [ratio, value.get(columnOf(ratio, label)) ?? null])),
          ci95: toIntervals(RATIO_NAMES.map((ratio) => [ratio, interval.get(columnOf(ratio, label))])),
        },
      ]),
    ),
  };
}

function toCluster({ notebook, truth, given, partial }: LabelledCell, labels: readonly string[]): Cluster {
  const tallies = labels.map((label): Tally => {
    const [isTrue, isGiven] = [truth.includes(label), given.includes(label)];
    return { right: +(isTrue && isGiven), wrong: +(!isTrue && isGiven), missed: +(isTrue && !isGiven) };
  });
  const sum = (part: keyof Tally) => tallies.reduce((total, tally) => total + tally[part], 0);
  const total = { right: sum("right"), wrong: sum("wrong"), missed: sum("missed") };
  const pairs: (readonly [number, number])[] = [
    ...RATIO_NAMES.map((ratio) => RATIOS[ratio](total)),
    [total.wrong + total.missed === 0 ? 1 : 0, 1],
    [partial?.met ?? 0, partial?.prefixes ?? 0],
    [partial?.kept ?? 0, partial?.prefixes ?? 0],
    ...tallies.flatMap((tally) => RATIO_NAMES.map((ratio) => RATIOS[ratio](tally))),
  ];
  return { id: notebook, sums: pairs.map(([upper]) => upper), counts: pairs.map(([, lower]) => lower) };
}

/**
 * The mean of a ratio over all labels that occur in the reference or the output. An undefined ratio counts as 0.
 * Otherwise a labeller could raise its mean by not assigning a label at all.
 */
function macroOf(columns: readonly number[], ratio: number): number {
  const perLabel = columns.slice(SUMMARY_METRICS.length);
  let sum = 0;
  let count = 0;
  for (let from = 0; from < perLabel.length; from += RATIO_NAMES.length) {
    if (Number.isNaN(perLabel[from + RATIO_NAMES.indexOf("f1")])) continue;
    sum += perLabel[from + ratio]! || 0;
    count += 1;
  }
  return sum / count;
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

function toIntervals(entries: readonly (readonly [string, Interval | null | undefined])[]): Intervals {
  return Object.fromEntries(
    entries.flatMap(([name, found]) => (found == null ? [] : [[name, [found[0], found[1]] as [number, number]]])),
  );
}

/** A metric of the suite `labels`, by the name that `--fail-under` and `compare` use. */
interface LabelMetric {
  readonly name: string;
  readonly description: string;
  readonly better: "higher" | "lower";
}

/** True positives, false positives and false negatives of a label in one cell, each 0 or 1. */
interface Tally {
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
}

/** Numerator and denominator, of one label or summed over all labels. */
const RATIOS = {
  /** precision = TP / (TP + FP) */
  precision: ({ right, wrong }: Tally) => [right, right + wrong],
  /** recall = TP / (TP + FN) */
  recall: ({ right, missed }: Tally) => [right, right + missed],
  /** F1 = 2 TP / (2 TP + FP + FN) */
  f1: ({ right, wrong, missed }: Tally) => [2 * right, 2 * right + wrong + missed],
} as const satisfies Record<string, (tally: Tally) => readonly [number, number]>;

type RatioName = keyof typeof RATIOS;
export const RATIO_NAMES = Object.keys(RATIOS) as readonly RatioName[];

const LABEL_METRICS = [
  { name: "micro-precision", description: "Share of the given labels that are true.", better: "higher" },
  { name: "micro-recall", description: "Share of the true labels that are given.", better: "higher" },
  { name: "micro-f1", description: "Harmonic mean of the two.", better: "higher" },
  { name: "exact-set", description: "Share of the cells that get all their labels and no other.", better: "higher" },
  { name: "macro-precision", description: "Mean over the labels.", better: "higher" },
  { name: "macro-recall", description: "Mean over the labels.", better: "higher" },
  { name: "macro-f1", description: "Mean over the labels.", better: "higher" },
  { name: "lowest-f1", description: "F1 of the weakest label.", better: "higher" },
  { name: "mean-label-ece", description: "Calibration error, mean over the labels.", better: "lower" },
  { name: "highest-label-ece", description: "Calibration error of the worst calibrated label.", better: "lower" },
] as const satisfies readonly LabelMetric[];

const PREFIX_METRICS = [
  {
    name: "prefix-met",
    description:
      "Share of the prefixes that get a true label of the whole cell. Prefixes of cells without labels count, too.",
    better: "higher",
  },
  {
    name: "prefix-kept",
    description: "Share of all cells that the soft filter lets through, mean over the prefixes.",
    better: "lower",
  },
] as const satisfies readonly LabelMetric[];

/** The figures of a run, in the order they are reported. */
export function labelMetrics({ partial }: { partial: boolean }): readonly LabelMetric[] {
  return partial ? [...LABEL_METRICS, ...PREFIX_METRICS] : LABEL_METRICS;
}

/** Pairs the notebooks of two runs over the same labelled cells. */
export function pairLabelled(a: LabelsResult, b: LabelsResult): Pairing {
  requireSame(
    "cells",
    a.cells,
    b.cells,
    ({ id, truth }) => `${id}, labelled ${truth.toSorted().join(" and ") || "nothing"}`,
  );
  if (a.manifest.inputs.truth !== b.manifest.inputs.truth) throw refusePairing("the labelled cells differ");
  const labels = [...new Set([a, b].flatMap(({ byLabel }) => byLabel.map(({ label }) => label)))];
  // Only F1 per label, because every further comparison makes Holm's correction stricter.
  const chosen = labelColumns(labels).map((column, at) => ({ column, at }));
  const columns = chosen.filter(({ column }) => !column.includes(" ") || column.startsWith("f1 "));
  const clusters = ({ cells }: LabelsResult) =>
    clusterCells(cells, labels).map(({ id, sums, counts }) => ({
      id,
      sums: columns.map(({ at }) => sums[at]!),
      counts: columns.map(({ at }) => counts[at]!),
    }));
  const metrics = columns.map(({ column }) => column);
  const lower = labelMetrics({ partial: true }).filter(({ better }) => better === "lower");
  const better = (metric: string) => (lower.some(({ name }) => name === metric) ? "lower" : "higher");
  return {
    unit: "notebook",
    metrics,
    decisive: "micro-f1",
    units: pairClusters(clusters(a), clusters(b)),
    ratios: true,
    better,
  };
}
