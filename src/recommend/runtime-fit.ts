import { neededColumns, neededNames } from "../python/needed-names.js";
import { MODULES } from "./answer/match-names.js";
import type { RankedCandidate } from "./rerank.js";

/** How well a cell fits the running kernel and the expected lines. */
export interface Fit {
  /** Share of the names used by the cell that exist in the kernel. */
  readonly runtime: number;
  /** Probability of the cell's first line. */
  readonly expected: number;
}

/** Measures how well cells fit the running kernel and the expected lines. */
export interface FitCheck {
  measure(code: string): Fit;
  /** A quick check by the packed profile. False means that the cell has none of the expected lines. */
  mayFit(profile: Uint8Array | undefined): boolean;
  /** Whether the first candidates are measured even if `mayFit` is false for them. */
  readonly readsFirst: boolean;
}

/** Bonus for a cell whose names all exist, and for a cell whose first line is certain, on the scale of the scores. */
const FIT_BONUS = { runtime: 4, expected: 8 } as const;
/** Number of candidates that are measured, best first. */
export const MAX_FITTED = 40;

/** The variables of the kernel, and the cells above. */
interface Runtime {
  readonly variables: Readonly<Record<string, string>>;
  /** All cells above. Only columns that they mention are assumed to exist. */
  readonly above: string;
}

/**
 * The share of names and columns used by an adapted cell that exist: names in the kernel, columns in the cells above.
 * Modules do not count, since they are imported everywhere. 0 if the cell uses no name.
 */
export function measureFit(adapted: string, { variables, above }: Runtime): number {
  const names = [...neededNames(adapted)].filter((name) => !MODULES.has(name));
  if (names.length === 0) return 0;
  const columns = [...neededColumns(adapted)];
  const there =
    names.filter((name) => Object.hasOwn(variables, name)).length +
    columns.filter((column) => above.includes(column)).length;
  return there / (names.length + columns.length);
}

/** Reranks the candidates with a bonus for their fit. Only the first candidates are checked. */
export function preferFitting(
  ranked: readonly RankedCandidate[],
  fitOf: (id: string) => Fit | undefined,
): readonly RankedCandidate[] {
  const fitted: RankedCandidate[] = [];
  const others: RankedCandidate[] = [];
  for (const candidate of ranked) {
    const fit = fitOf(candidate.id);
    if (fit === undefined) others.push(candidate);
    else {
      const bonus = FIT_BONUS.runtime * fit.runtime + FIT_BONUS.expected * fit.expected;
      fitted.push({ ...candidate, score: candidate.score + bonus });
    }
  }
  return [...fitted.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1)), ...others];
}
