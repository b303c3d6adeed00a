import type { Figures, Intervals } from "../../document.js";
import { bootstrapIntervals, type Interval } from "../../statistics/bootstrap.js";
import { type Cluster, clusterMeans, mergeClusters } from "../../statistics/clusters.js";
import type { LabelledCell } from "./document.js";
import { RATIO_NAMES, RATIOS, type RatioName, type Tally } from "./metrics.js";

export interface LabelScores {
  readonly metrics: Figures;
  readonly ci95: Intervals;
  readonly byLabel: ReadonlyMap<string, { readonly figures: Figures; readonly ci95: Intervals }>;
}

const ALL = ["micro-precision", "micro-recall", "micro-f1", "exact-set", "prefix-met", "prefix-kept"];

/** The columns of a cluster: the figures over all labels, then the three ratios of every label. */
export function labelColumns(labels: readonly string[]): string[] {
  return [...ALL, ...labels.flatMap((label) => RATIO_NAMES.map((ratio) => columnOf(ratio, label)))];
}

export const columnOf = (ratio: RatioName, label: string): string => `${ratio} ${label}`;

/** What the cells of each notebook add to the columns. */
export function clusterCells(cells: readonly LabelledCell[], labels: readonly string[]): Cluster[] {
  return mergeClusters(cells.map((cell) => toCluster(cell, labels)));
}

/** Precision, recall and F1, each over all labels, per label and as the mean of the labels; notebooks are drawn. */
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
 * The mean of one ratio over the labels that are true or given anywhere. Such a label may lack a precision or a recall
 * (never given, or never true): that is 0, or a labeller could raise its mean by not giving a label at all.
 */
function macroOf(columns: readonly number[], ratio: number): number {
  const perLabel = columns.slice(ALL.length);
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
