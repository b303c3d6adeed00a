import { z } from "zod";

const BINS = 10;

/** One of the ten equal-width bins [0, .1), [.1, .2), ... [.9, 1]. */
interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The mean probability, and the share of cases that came true; both null if the bin is empty. */
  readonly probability: number | null;
  readonly share: number | null;
}

interface Calibration {
  add(probability: number, isRight: boolean): void;
  bins(): Bin[];
  /** Expected calibration error: sum over the bins of n_b / n |share right_b - mean probability_b|; null if there are no values. */
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

/** Minimum confidences in steps of a tenth; finer steps would depend on single hits. */
const CUTOFFS = Array.from({ length: 10 }, (_, at) => at / 10);

const binShape = {
  from: z.number(),
  to: z.number(),
  hits: z.int(),
  /** Null if the bin is empty. */
  meanConfidence: z.number().nullable(),
};

const cutoffShape = {
  minConfidence: z.number(),
  hits: z.int(),
  /** Share of the lists with any hit left. */
  answered: z.number(),
  /** Share of the lists with a right hit left. */
  helped: z.number(),
};

type WithShare<Shape extends z.ZodRawShape, Name extends string> = z.infer<z.ZodObject<Shape>> &
  Readonly<Record<Name, number | null>>;

/**
 * The schema of confidence figures in a result document. `share` is the name of the field with the share of right hits.
 */
export function confidenceShape<Name extends string>(share: Name) {
  const withShare = <Shape extends z.ZodRawShape>(shape: Shape) =>
    z.strictObject({ ...shape, [share]: z.number().nullable() }) as unknown as z.ZodType<WithShare<Shape, Name>>;
  return {
    hits: z.int(),
    /** Expected calibration error over the bins. */
    ece: z.number(),
    /** Ten bins of equal width. */
    bins: z.array(withShare(binShape)),
    /** The figures without hits below a confidence. */
    cutoffs: z.array(withShare(cutoffShape)),
  };
}

export type ConfidenceFigures<Name extends string> = z.infer<z.ZodObject<ReturnType<typeof confidenceShape<Name>>>>;

/** Compares the confidences of lists of hits with the truth; null if no hit has a confidence. */
export function measureConfidence<Name extends string>(
  lists: readonly (readonly JudgedHit[])[],
  share: Name,
): ConfidenceFigures<Name> | null {
  const hits = lists.flat();
  const calibration = createCalibration();
  for (const { confidence, right } of hits) calibration.add(confidence, right);
  const ece = calibration.error();
  if (ece === null) return null;
  const named = (value: number | null) => ({ [share]: value }) as Record<Name, number | null>;
  return {
    hits: hits.length,
    ece,
    bins: calibration.bins().map(({ from, to, count, probability, share: right }) => ({
      from,
      to,
      hits: count,
      meanConfidence: probability,
      ...named(right),
    })),
    cutoffs: CUTOFFS.map((minConfidence) => {
      const { share: right, ...rest } = cutOff(lists, minConfidence);
      return { ...rest, ...named(right) };
    }),
  };
}

/** The figures without hits below a confidence. */
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
