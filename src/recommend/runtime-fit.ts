import { neededColumns, neededNames } from "../python/needed-names.js";
import { MODULES } from "./answer/match-names.js";
import type { RankedCandidate } from "./rerank.js";

/** How well a cell fits. */
export interface Fit {
  /** The share of the names that it needs which exist in the kernel. */
  readonly runtime: number;
  /** The probability of its first line. */
  readonly expected: number;
}

/** Bonus of a cell whose needed names all exist, and of one whose first line is certain, on the scale of the scores. */
const FIT_BONUS = { runtime: 4, expected: 8 } as const;
/** Number of candidates that are checked, best first. */
export const MAX_FITTED = 40;

/** The variables of the kernel, and the cells above. */
interface Runtime {
  readonly variables: Readonly<Record<string, string>>;
  /** All cells above. Columns that they mention exist; others are unknown. */
  readonly above: string;
}

/**
 * The share of the names and columns that a cell needs, in the user's names, which exist: names in the running kernel,
 * columns that the notebook mentions. Modules do not count, since they are imported everywhere. A cell that needs no
 * name has a fit of 0.
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

/** Ranks the candidates again, with the bonus of their fit; those that were not checked have none. */
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
