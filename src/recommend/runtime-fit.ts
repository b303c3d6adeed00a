import { neededColumns, neededNames } from "../python/needed-names.js";
import { MODULES } from "./answer/match-names.js";
import type { RankedCandidate } from "./rerank.js";

/** What it is worth that all that a cell needs is there, on the scale of the scores. */
const WORTH = 4;
/** Candidates that are looked at, the best first. */
export const MAX_FITTED = 40;

/** What a cell can count on. */
interface Runtime {
  readonly variables: Readonly<Record<string, string>>;
  /** All that stands above: a column that is spoken of there exists, of others nobody knows. */
  readonly above: string;
}

/**
 * The share of what a cell needs that is there, once it is written in the user's names: names in the running kernel, and
 * columns that the notebook speaks of. Modules do not count: they are imported everywhere. A cell that needs no name makes
 * no use of what is there.
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

/** The best candidates again, each with what its fit is worth; the others stay behind them in their order. */
export function preferFitting(
  ranked: readonly RankedCandidate[],
  fitOf: (id: string) => number,
): readonly RankedCandidate[] {
  const fitted = ranked.slice(0, MAX_FITTED).map((candidate) => ({
    ...candidate,
    score: candidate.score + WORTH * fitOf(candidate.id),
  }));
  return [
    ...fitted.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1)),
    ...ranked.slice(MAX_FITTED),
  ];
}
