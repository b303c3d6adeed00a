import { lowerMetrics } from "../../metrics/index.js";
import { figureLines, type Pen } from "../../reports/text-figures.js";
import type { TypingResult } from "./document.js";

/** What people read on a terminal. */
export function* typingText(document: TypingResult, pen: Pen): Generator<string> {
  const { counts, baselines, metrics, ci95, withoutCopies, confidence } = document;
  const { ci95: _, ...fresh } = withoutCopies;
  yield `${counts.cases} cases of ${counts.notebooks} notebooks (${counts.copies} copies), ${counts.indexedCells} cells to recommend from`;
  const columns = Object.entries(baselines).map(
    ([name, { ci95: _ci, withoutCopies: _copies, ...figures }]) => [name, figures] as const,
  );
  const beside = { "no copies": fresh, ...Object.fromEntries(columns) };
  yield* figureLines({ figures: metrics, ci95, beside, lower: lowerMetrics(Object.keys(metrics)) }, pen);
  if (confidence === null) return;
  const { ece, hits, withoutCopies: sure } = confidence;
  const others =
    counts.copies === 0 || sure === null ? "" : `; without copies ${sure.ece.toFixed(4)} over ${sure.hits}`;
  yield `confidence: expected calibration error ${ece.toFixed(4)} over ${hits} hits${others}`;
}
