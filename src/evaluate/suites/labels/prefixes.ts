import type { Labeller } from "../../../label/labeller.js";
import { strip } from "../../../python/strip.js";
import { linePrefixes } from "../../line-prefixes.js";
import { groupBy } from "../../statistics/group-by.js";
import type { LabelsResult } from "./document.js";
import type { TrueCell } from "./truth.js";

/** What the soft filter does with one prefix of a cell. */
export interface PrefixOutcome {
  readonly cell: TrueCell;
  readonly lines: number;
  readonly isMet: boolean;
  readonly kept: number;
}

/** Of shorter cells too little is left to type. */
const FEWEST_LINES = 3;

/**
 * Asks the prefix head about every line prefix of a cell. A prefix is met where the labels that stay possible hold a true
 * one of the whole cell; a cell without labels passes every filter, so it is always met. Kept is the share of `library`
 * that the filter lets through.
 */
export function createPrefixScorer(labeller: Labeller, library: readonly TrueCell[]) {
  const sets = [...groupBy(library, ({ labels }) => labels.toSorted().join("\n")).values()];
  const keptShare = (possible: readonly string[]) =>
    sets.reduce((sum, [first, ...rest]) => sum + (meets(first!.labels, possible) ? 1 + rest.length : 0), 0) /
    library.length;
  return (cell: TrueCell): PrefixOutcome[] => {
    const prefixes = linePrefixes(cell.code);
    if (prefixes.length < FEWEST_LINES) return [];
    return prefixes.map((prefix, at) => {
      const { possible } = labeller.label(strip(prefix).text, "prefix");
      return { cell, lines: at + 1, isMet: meets(cell.labels, possible), kept: keptShare(possible) };
    });
  };
}

/** The outcomes by lines typed, and by true label. */
export function viewPrefixes(
  outcomes: readonly PrefixOutcome[],
  labels: readonly string[],
): NonNullable<LabelsResult["partial"]> {
  const byLines = [...groupBy(outcomes, ({ lines }) => lines)].sort(([one], [other]) => one - other);
  return {
    byLines: byLines.map(([lines, group]) => ({ lines, ...summarize(group) })),
    byLabel: labels.map((label) => ({
      label,
      ...summarize(outcomes.filter(({ cell }) => cell.labels.includes(label))),
    })),
  };
}

const meets = (truth: readonly string[], possible: readonly string[]): boolean =>
  truth.length === 0 || truth.some((label) => possible.includes(label));

function summarize(group: readonly PrefixOutcome[]) {
  const mean = (of: (outcome: PrefixOutcome) => number) =>
    group.length === 0 ? null : group.reduce((sum, outcome) => sum + of(outcome), 0) / group.length;
  return { prefixes: group.length, met: mean(({ isMet }) => +isMet), kept: mean(({ kept }) => kept) };
}
