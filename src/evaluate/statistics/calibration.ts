const BINS = 10;

/** One of the ten equal-width bins [0, .1), [.1, .2), ... [.9, 1]. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The mean of the probabilities, and the share of them that came true; both null where the bin is empty. */
  readonly probability: number | null;
  readonly share: number | null;
}

export interface Calibration {
  add(probability: number, isRight: boolean): void;
  bins(): Bin[];
  /** Expected calibration error: sum over the bins of n_b / n * |share right_b - mean probability_b|; null for nothing. */
  error(): number | null;
}

/** Collects probabilities and whether they came true. Order does not matter. */
export function createCalibration(): Calibration {
  const sums = Array.from({ length: BINS }, () => ({ count: 0, probability: 0, right: 0 }));
  return {
    add(probability, isRight) {
      const bin = sums[Math.min(BINS - 1, Math.floor(probability * BINS))]!;
      bin.count += 1;
      bin.probability += probability;
      if (isRight) bin.right += 1;
    },
    bins: () =>
      sums.map(({ count, probability, right }, at) => ({
        from: at / BINS,
        to: (at + 1) / BINS,
        count,
        probability: count === 0 ? null : probability / count,
        share: count === 0 ? null : right / count,
      })),
    error() {
      const count = sums.reduce((sum, bin) => sum + bin.count, 0);
      if (count === 0) return null;
      return sums.reduce((sum, { right, probability }) => sum + Math.abs(right - probability), 0) / count;
    },
  };
}

/** A hit with a confidence, and whether it was right. */
export interface JudgedHit {
  readonly confidence: number;
  readonly right: boolean;
}

/** Steps of a tenth: finer ones would depend on single hits. */
const CUTOFFS = Array.from({ length: 10 }, (_, at) => at / 10);

/** Compares confidences, list by list, with what was right; null if no hit has one. */
export function measureConfidence(lists: readonly (readonly JudgedHit[])[]) {
  const hits = lists.flat();
  const calibration = createCalibration();
  for (const { confidence, right } of hits) calibration.add(confidence, right);
  const ece = calibration.error();
  if (ece === null) return null;
  return {
    hits: hits.length,
    ece,
    bins: calibration.bins().map(({ from, to, count, probability, share }) => ({
      from,
      to,
      hits: count,
      meanConfidence: probability,
      share,
    })),
    cutoffs: CUTOFFS.map((minConfidence) => cutOff(lists, minConfidence)),
  };
}

/** What is left when hits below a confidence are not shown. */
function cutOff(lists: readonly (readonly JudgedHit[])[], minConfidence: number) {
  const shown = lists.map((hits) => hits.filter(({ confidence }) => confidence >= minConfidence));
  const hits = shown.flat();
  const shareOf = (isCounted: (hits: readonly JudgedHit[]) => boolean) => shown.filter(isCounted).length / lists.length;
  return {
    minConfidence,
    hits: hits.length,
    answered: shareOf(({ length }) => length > 0),
    helped: shareOf((list) => list.some(({ right }) => right)),
    share: hits.length === 0 ? null : hits.filter(({ right }) => right).length / hits.length,
  };
}
