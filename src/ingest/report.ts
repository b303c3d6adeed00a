import type { Rejection } from "../notebook/notebook.js";
import type { WriteOutcome } from "../store/vector-store.js";
import type { Incoming, PreparedBatch } from "./intake.js";
import type { MakeResult, SkipReason } from "./make-cells.js";

/** Outcome of one notebook. `new` and `duplicate` count its stored cells; `labels` counts them by label. */
export interface IngestReport {
  readonly id: string;
  readonly source: string;
  readonly name: string;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  /** Whether an older version of the notebook was replaced. */
  readonly replaced: boolean;
  /** Whether the same content was stored already. */
  readonly unchanged: boolean;
  readonly labels: Readonly<Record<string, number>>;
}

type SkipCounts = Readonly<Partial<Record<SkipReason, number>>>;

/** One report per successful notebook of the batch, in order. The labels of unchanged notebooks are not known here. */
export function reportBatch(batch: PreparedBatch, outcome: WriteOutcome): IngestReport[] {
  const owned = new Set<string>();
  return batch.notebooks
    .filter(({ id }) => !batch.failed.has(id))
    .map((notebook) =>
      batch.unchanged.has(notebook.id)
        ? reportUnchanged(notebook, batch.skipped)
        : reportWritten(notebook, outcome, owned),
    );
}

/** The reasons why cells of a written notebook were skipped. */
export function countSkips({ code }: Incoming, made: ReadonlyMap<string, MakeResult>): SkipCounts {
  const counts: Partial<Record<SkipReason, number>> = {};
  for (const { id } of code.cells) {
    const reason = made.get(id);
    if (typeof reason === "string") counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

export function countLabels(cells: readonly (readonly string[])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const label of cells.flat()) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/**
 * Counts the cells of a written notebook. New cells in `owned` were already counted for an earlier notebook of the
 * batch.
 */
function reportWritten(
  { id, source, name, code: { cells } }: Incoming,
  { labels, added, replaced }: WriteOutcome,
  owned: Set<string>,
): IngestReport {
  const kept = cells.filter((cell) => labels.has(cell.id));
  const newCells = new Set(kept.map((cell) => cell.id).filter((cell) => added.has(cell) && !owned.has(cell)));
  for (const cell of newCells) owned.add(cell);
  return {
    id,
    source,
    name,
    cells: kept.length,
    new: newCells.size,
    duplicate: kept.length - newCells.size,
    skipped: cells.length - kept.length,
    replaced: replaced.has(id),
    unchanged: false,
    labels: countLabels(kept.map((cell) => labels.get(cell.id)!)),
  };
}

function reportUnchanged({ id, source, name, code }: Incoming, missing: ReadonlySet<string>): IngestReport {
  const cells = code.cells.filter((cell) => !missing.has(cell.id)).length;
  const skipped = code.cells.length - cells;
  return { id, source, name, cells, new: 0, duplicate: cells, skipped, replaced: false, unchanged: true, labels: {} };
}

/** Outcome of one notebook of a corpus. */
export interface CorpusReport extends Omit<IngestReport, "labels"> {
  readonly skips: SkipCounts;
}

/** A rejected file of a corpus. */
export interface RejectedEntry extends Rejection {
  readonly source: string;
  readonly name: string;
  /** Whether the rejected entry may contain notebooks, such as an archive or a folder. */
  readonly isContainer: boolean;
}

/** Outcome of one batch. `files` counts all examined files. */
export interface CorpusStep {
  readonly files: number;
  readonly reports: readonly CorpusReport[];
  readonly rejected: readonly RejectedEntry[];
  /** Skipped scripts, by the ids that they would have as notebooks. */
  readonly passedOver: readonly string[];
}

/** Totals of a run so far. `files` counts all examined files. */
export interface Totals {
  readonly files: number;
  readonly notebooks: number;
  readonly unchanged: number;
  readonly replaced: number;
  readonly cells: number;
  readonly new: number;
  readonly duplicate: number;
  readonly skipped: number;
  /** Counts over the notebooks that were read in this run. */
  readonly skippedBecause: Readonly<Record<SkipReason, number>>;
  readonly rejected: number;
}

export const NO_TOTALS: Totals = {
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
