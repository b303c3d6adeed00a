export interface LabelProbability {
  readonly label: string;
  readonly probability: number;
}

/** The labels of a cell: several or none. */
export interface Labelling {
  /** The assigned labels, most probable first. */
  readonly labels: readonly LabelProbability[];
  /** The most probable of the assigned labels. */
  readonly primary: string | null;
  /** One probability per label of the set. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The labels that the finished cell may have, including the assigned ones. The soft filter passes them. */
  readonly possible: readonly string[];
}

/** `cell` for whole cells, `prefix` for cells that are still being typed. */
export type LabelHead = "cell" | "prefix";

export interface Labeller {
  /** Identifies the label set and the model. An index stores it and rejects another label set. */
  readonly id: string;
  /** The label set, at most 32 names. */
  readonly labels: readonly string[];
  /** Labels cleaned code. A pure function that never throws. */
  label(code: string, head: LabelHead): Labelling;
}

/** The eight machine-learning tasks of JupyLabel, in the usual order within a notebook. */
export const LABELS = [
  "setup_notebook",
  "ingest_data",
  "validate_data",
  "process_data",
  "visualize_data",
  "train_model",
  "evaluate_model",
  "transfer_results",
] as const;

/** One threshold for all labels, or one per label in the order of the set. */
interface Thresholds {
  readonly assigned: number | readonly number[];
  readonly possible: number | readonly number[];
}

/** Turns probabilities, one per label in the set's order, into an answer. Equal probabilities keep that order. */
export function assignLabels(
  labels: readonly string[],
  probabilities: readonly number[],
  thresholds: Thresholds,
): Labelling {
  const all = labels.map((label, at) => ({ label, probability: probabilities[at]!, at }));
  const best = all.toSorted((one, other) => other.probability - one.probability);
  const isAssigned = ({ probability, at }: (typeof all)[number]) => probability >= thresholdOf(thresholds.assigned, at);
  const assigned = best.filter(isAssigned);
  return {
    labels: assigned.map(({ label, probability }) => ({ label, probability })),
    primary: assigned[0]?.label ?? null,
    probabilities: Object.fromEntries(all.map(({ label, probability }) => [label, probability])),
    possible: best
      .filter((entry) => isAssigned(entry) || entry.probability >= thresholdOf(thresholds.possible, entry.at))
      .map(({ label }) => label),
  };
}

function thresholdOf(threshold: number | readonly number[], at: number): number {
  return typeof threshold === "number" ? threshold : threshold[at]!;
}
