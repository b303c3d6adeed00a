const BINS = 10;

/** One of the ten equal-width bins [0, .1), [.1, .2), ... [.9, 1]. */
export interface Bin {
  readonly count: number;
  /** Sum of the probabilities, and how many of them came true. */
  readonly probability: number;
  readonly right: number;
}

export interface Calibration {
  add(probability: number, isRight: boolean): void;
  bins(): readonly Bin[];
  /** Expected calibration error: sum over the bins of n_b / n * |share right_b - mean probability_b|; null for nothing. */
  error(): number | null;
}

/** Collects probabilities and whether they came true. Order does not matter. */
export function createCalibration(): Calibration {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, probability: 0, right: 0 }));
  return {
    add(probability, isRight) {
      const bin = bins[Math.min(BINS - 1, Math.floor(probability * BINS))]!;
      bin.count += 1;
      bin.probability += probability;
      if (isRight) bin.right += 1;
    },
    bins: () => bins.map((bin) => ({ ...bin })),
    error() {
      const count = bins.reduce((sum, bin) => sum + bin.count, 0);
      if (count === 0) return null;
      return bins.reduce((sum, { right, probability }) => sum + Math.abs(right - probability), 0) / count;
    },
  };
}
