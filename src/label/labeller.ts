export interface LabelProbability {
  readonly label: string;
  readonly probability: number;
}

/** What is known of a cell's tasks. A cell can have several labels or none. */
export interface Labelling {
  /** The assigned labels, most probable first. */
  readonly labels: readonly LabelProbability[];
  /** The most probable of the assigned labels. */
  readonly primary: string | null;
  /** One probability per label of the set. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The labels that the cell may still turn out to have: what the soft filter lets through. Includes the assigned ones. */
  readonly possible: readonly string[];
}

/** Whole cells are what is stored; prefixes are cells that somebody is still typing. */
export type LabelHead = "cell" | "prefix";

export interface Labeller {
  /** Names the label set and the model; an index remembers it, and refuses another label set. */
  readonly id: string;
  /** The label set, at most 32 names. */
  readonly labels: readonly string[];
  /** Labels cleaned code. Pure, and never throws, whatever the text. */
  label(code: string, head: LabelHead): Labelling;
}
