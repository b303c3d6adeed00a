import { manifestTable } from "../../reports/manifest-table.js";
import type { Table } from "../../reports/table.js";
import type { FeedbackResult } from "./document.js";
import { acceptanceViews } from "./views.js";

export function feedbackTables(document: FeedbackResult): Table[] {
  const { metrics, ci95, confidence, hits } = document;
  return [
    {
      name: "summary",
      columns: ["metric", "value", "low", "high"],
      rows: () =>
        Object.entries(metrics).map(([name, value]) => [name, value, ci95[name]?.[0] ?? null, ci95[name]?.[1] ?? null]),
    },
    ...acceptanceViews(document).map(
      ({ name, groups }): Table => ({
        name: `by ${name}`,
        columns: [name, "shown", "accepted", "rate", "low", "high"],
        rows: () =>
          groups.map(({ name: group, shown, accepted, rate, interval }) => [
            group,
            shown,
            accepted,
            rate,
            interval?.[0] ?? null,
            interval?.[1] ?? null,
          ]),
      }),
    ),
    {
      name: "reliability",
      columns: ["bin", "from", "to", "hits", "mean confidence", "share accepted"],
      rows: () =>
        (confidence?.bins ?? [])
          .filter((bin) => bin.hits > 0)
          .map(({ from, to, hits: count, meanConfidence, shareAccepted }) => [
            `from ${from}`,
            from,
            to,
            count,
            meanConfidence,
            shareAccepted,
          ]),
    },
    {
      name: "least confidence",
      columns: ["cutoff", "hits", "share accepted", "answers answered", "answers helped"],
      rows: () =>
        (confidence?.cutoffs ?? []).map(({ minConfidence, hits: count, shareAccepted, answered, helped }) => [
          minConfidence,
          count,
          shareAccepted,
          answered,
          helped,
        ]),
    },
    {
      name: "per hit",
      columns: ["hit", "answer", "rank", "mode", "confidence", "labels", "embedder", "accepted"],
      rows: () =>
        hits.map(({ answer, rank, mode, confidence: sure, labels, embedder, accepted }) => [
          `${answer} ${rank}`,
          answer,
          rank,
          mode,
          sure,
          labels.join(" "),
          embedder,
          accepted ? "yes" : "no",
        ]),
    },
    manifestTable(document),
  ];
}
