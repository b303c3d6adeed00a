import type { CorpusStep } from "./corpus-report.js";
import type { SkipReason } from "./prepare.js";

/** What a run has done so far. `files` counts all that was looked at. */
export interface Totals {
  readonly files: number;
  readonly notebooks: number;
  readonly unchanged: number;
  readonly replaced: number;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  /** Of the notebooks that were read in this run. */
  readonly skippedBecause: Readonly<Record<SkipReason, number>>;
  readonly rejected: number;
}

export const NOTHING_YET: Totals = {
  files: 0,
  notebooks: 0,
  unchanged: 0,
  replaced: 0,
  cells: 0,
  new: 0,
  duplicate: 0,
  skipped: 0,
  skippedBecause: { empty: 0, "comments only": 0, "too long": 0, "no tokens": 0 },
  rejected: 0,
};

export function addStep(totals: Totals, { files, reports, rejected }: CorpusStep): Totals {
  const sum = (pick: (report: (typeof reports)[number]) => number) =>
    reports.reduce((total, report) => total + pick(report), 0);
  const because = Object.entries(totals.skippedBecause).map(([reason, count]) => [
    reason,
    count + sum(({ skips }) => skips[reason as SkipReason] ?? 0),
  ]);
  return {
    files: totals.files + files,
    notebooks: totals.notebooks + reports.length,
    unchanged: totals.unchanged + sum(({ unchanged }) => Number(unchanged)),
    replaced: totals.replaced + sum(({ replaced }) => Number(replaced)),
    cells: totals.cells + sum(({ cells }) => cells),
    new: totals.new + sum((report) => report.new),
    duplicate: totals.duplicate + sum(({ duplicate }) => duplicate),
    skipped: totals.skipped + sum(({ skipped }) => skipped),
    skippedBecause: Object.fromEntries(because) as Totals["skippedBecause"],
    rejected: totals.rejected + rejected.length,
  };
}
