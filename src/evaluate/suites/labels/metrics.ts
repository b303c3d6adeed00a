/** A figure of the suite `labels`: by its printed name, as `--fail-under` and `compare` know it. */
export interface LabelMetric {
  readonly name: string;
  readonly description: string;
  readonly better: "higher" | "lower";
}

/** What a label adds to a ratio: given and true, given but not true, true but not given; each 0 or 1 in one cell. */
export interface Tally {
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
}

/** Numerator and denominator. Over all labels they make the micro figure, over one label its own. */
export const RATIOS = {
  /** precision = TP / (TP + FP) */
  precision: ({ right, wrong }: Tally) => [right, right + wrong],
  /** recall = TP / (TP + FN) */
  recall: ({ right, missed }: Tally) => [right, right + missed],
  /** F1 = 2 TP / (2 TP + FP + FN) */
  f1: ({ right, wrong, missed }: Tally) => [2 * right, 2 * right + wrong + missed],
} as const satisfies Record<string, (tally: Tally) => readonly [number, number]>;

export type RatioName = keyof typeof RATIOS;
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
    description: "Share of the prefixes that keep a true label of the whole cell, or whose cell has none.",
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
