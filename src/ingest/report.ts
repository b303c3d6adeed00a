import type { WriteOutcome } from "../store/vector-store.js";
import type { Incoming, PreparedBatch } from "./intake.js";
import type { Made } from "./make-cells.js";
import type { SkipReason } from "./prepare.js";

/** What became of a notebook. `new` and `duplicate` count its stored cells; `labels` counts them by label. */
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
  /** Whether the very same content was there already. */
  readonly unchanged: boolean;
  readonly labels: Readonly<Record<string, number>>;
}

export type SkipCounts = Readonly<Partial<Record<SkipReason, number>>>;

/** One report per notebook of the batch that did not fail, in its order. The labels of unchanged ones are not known here. */
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

/** Why the cells of a written notebook were skipped. */
export function countSkips({ code }: Incoming, made: ReadonlyMap<string, Made>): SkipCounts {
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

/** `owned` are the new cells that an earlier notebook of the batch has brought. */
function reportWritten(
  { id, source, name, code: { cells } }: Incoming,
  { labels, added, replaced }: WriteOutcome,
  owned: Set<string>,
): IngestReport {
  const kept = cells.filter((cell) => labels.has(cell.id));
  const brought = new Set(kept.map((cell) => cell.id).filter((cell) => added.has(cell) && !owned.has(cell)));
  for (const cell of brought) owned.add(cell);
  return {
    id,
    source,
    name,
    cells: kept.length,
    new: brought.size,
    duplicate: kept.length - brought.size,
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
