import { neededNames } from "../python/needed-names.js";
import { MODULES } from "./answer/match-names.js";
import type { RankedCandidate } from "./rerank.js";

/** What it is worth that all names of a cell exist in the running kernel, on the scale of the scores. */
const WORTH = 2;
/** Candidates that are looked at, the best first. */
export const MOST_FITTED = 40;

/**
 * The share of the names a cell needs that exist in a running kernel, once it is written in the user's names. Modules do
 * not count: they are imported everywhere. A cell that needs nothing makes no use of what is there.
 */
export function measureFit(adapted: string, variables: Readonly<Record<string, string>>): number {
  const needed = [...neededNames(adapted)].filter((name) => !MODULES.has(name));
  if (needed.length === 0) return 0;
  return needed.filter((name) => Object.hasOwn(variables, name)).length / needed.length;
}

/** The best candidates anew, each with what its fit is worth; the others stay behind them in their order. */
export function preferFitting(
  ranked: readonly RankedCandidate[],
  fitOf: (id: string) => number,
): readonly RankedCandidate[] {
  const fitted = ranked.slice(0, MOST_FITTED).map((candidate) => ({
    ...candidate,
    score: candidate.score + WORTH * fitOf(candidate.id),
  }));
  return [
    ...fitted.sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1)),
    ...ranked.slice(MOST_FITTED),
  ];
}
