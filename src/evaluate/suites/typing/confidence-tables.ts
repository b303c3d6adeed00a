import type { Table } from "../../reports/table.js";
import type { ConfidenceFigures, TypingResult } from "./document.js";

/** The confidences of all cases, and of those that are no copies where there are any. */
export function confidenceViews({
  confidence,
  counts,
}: TypingResult): { readonly name: string; readonly figures: ConfidenceFigures }[] {
  if (confidence === null) return [];
  const { withoutCopies, ...figures } = confidence;
  const all = { name: "all cases", figures };
  if (counts.copies === 0 || withoutCopies === null) return [all];
  return [all, { name: "without copies", figures: withoutCopies }];
}

/** What confidences came to, and what is left when hits below one are not shown; no tables where a target gives none. */
export function confidenceTables(document: TypingResult): Table[] {
  const views = confidenceViews(document);
  if (views.length === 0) return [];
  return [
    {
      name: "confidence",
      columns: ["bin", "cases", "from", "to", "hits", "mean confidence", "share useful"],
      rows: () =>
        views.flatMap(({ name, figures }) =>
          figures.bins
            .filter(({ hits }) => hits > 0)
            .map(({ from, to, hits, meanConfidence, shareUseful }) => [
              `${name} from ${from}`,
              name,
              from,
              to,
              hits,
              meanConfidence,
              shareUseful,
            ]),
        ),
    },
    {
      name: "least confidence",
      columns: ["cutoff", "cases", "min confidence", "hits", "share useful", "cases answered", "cases helped"],
      rows: () =>
        views.flatMap(({ name, figures }) =>
          figures.cutoffs.map(({ minConfidence, hits, shareUseful, answered, helped }) => [
            `${name} from ${minConfidence}`,
            name,
            minConfidence,
            hits,
            shareUseful,
            answered,
            helped,
          ]),
        ),
    },
  ];
}
