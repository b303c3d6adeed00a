import { neededColumns, neededNames } from "../python/needed-names.js";
import { MODULES } from "./answer/match-names.js";
import type { RankedCandidate } from "./rerank.js";

/** Bonus of a cell whose needed names all exist, on the scale of the scores. */
const FIT_BONUS = 4;
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

/** Ranks the best candidates again, with the bonus of their fit; the others follow in their order. */
export function preferFitting(
  ranked: readonly RankedCandidate[],
  fitOf: (id: string) => number,
): readonly RankedCandidate[] {
  const fitted = ranked.slice(0, MAX_FITTED).map((candidate) => ({
    ...candidate,
    score: candidate.score + FIT_BONUS * fitOf(candidate.id),
  }));
  return [
    ...fitted.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1)),
    ...ranked.slice(MAX_FITTED),
  ];
}
