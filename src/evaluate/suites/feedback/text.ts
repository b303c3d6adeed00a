import { figureLines, type Pen, showFigure, textTable } from "../../reports/text-figures.js";
import type { FeedbackResult } from "./document.js";
import { acceptanceViews } from "./views.js";

/** What people read on a terminal. */
export function* feedbackText(document: FeedbackResult, pen: Pen): Generator<string> {
  const { counts, metrics, ci95, confidence, problems } = document;
  yield `${counts.hits} hits of ${counts.answers} answers were seen, ${counts.accepted} accepted`;
  yield* figureLines({ figures: metrics, ci95, lower: ["ece"] }, pen);
  for (const { name, groups } of acceptanceViews(document)) {
    if (groups.length < 2) continue;
    yield "";
    const rows = groups.map(({ name: group, shown, accepted, rate, interval }) => [
      group,
      String(shown),
      String(accepted),
      showFigure(rate),
      interval === null ? "" : `${showFigure(interval[0])} - ${showFigure(interval[1])}`,
    ]);
    yield* textTable([name, "shown", "accepted", "rate", "95 % interval"], rows, pen);
  }
  if (confidence !== null) {
    yield "";
    const rows = confidence.cutoffs
      .filter(({ hits }) => hits > 0)
      .map(({ minConfidence, hits, shareAccepted, answered, helped }) => [
        minConfidence.toFixed(1),
        String(hits),
        ...[shareAccepted, answered, helped].map(showFigure),
      ]);
    yield* textTable(["minConfidence", "hits left", "accepted", "answered", "helped"], rows, pen);
  }
  if (problems.unreadable > 0) yield `${problems.unreadable} lines could not be read.`;
}
