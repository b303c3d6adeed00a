import { join } from "node:path";
import { confidenceSection } from "../../reports/describe-confidence.js";
import { describeResult, metricTable } from "../../reports/describe-result.js";
import {
  countColumn,
  estimateColumn,
  figureColumn,
  type ReportDescription,
  type Section,
  type Table,
  textColumn,
} from "../../reports/description.js";
import { showCount } from "../../reports/html/format.js";
import { REPORTS } from "../../reports/index.js";
import { hashOf } from "../../runner/inputs.js";
import type { PlainSuite, Prepared } from "../../suite.js";
import {
  FEEDBACK_METRICS,
  type FeedbackResult,
  feedbackResultSchema,
  type KeptEvents,
  type NamedAcceptance,
  pairFeedback,
  readEvents,
  scoreFeedback,
} from "./feedback-score.js";

export interface FeedbackOptions {
  readonly events?: string;
  /** The index folder, an option of every command. */
  readonly data?: string;
}

export interface FeedbackCases extends Prepared {
  readonly kept: KeptEvents;
  readonly origin: { readonly events: string };
}

/** Measures what users did with the shown recommendations. */
export const feedbackSuite: PlainSuite<FeedbackOptions, FeedbackCases, FeedbackResult> = {
  name: "feedback",
  description: "report what users did with recommendations, from the events of a service",
  options: [
    {
      flags: "--events <file>",
      description: "JSON lines written by a service (CELREC_FEEDBACK=on); default: feedback.jsonl beside the index",
      value: "text",
    },
  ],
  asks: null,
  configured: ["data"],
  reports: REPORTS,
  schema: feedbackResultSchema,
  metrics: () => FEEDBACK_METRICS,
  async cases({ events, data }, { env }) {
    const file = events ?? join(data ?? (env.CELREC_DATA || ".celrec"), "feedback.jsonl");
    const kept = readEvents(file);
    return { kept, origin: { events: file }, inputs: { events: hashOf(kept.events) }, settings: {} };
  },
  run: async ({ kept, origin }, bench) => scoreFeedback(kept, bench, { ...origin }),
  figures: ({ metrics }) => metrics,
  texts: () => ({ query: () => undefined, cell: () => undefined }),
  describe: describeFeedback,
  pair: pairFeedback,
};

function describeFeedback(document: FeedbackResult): ReportDescription {
  const { counts, metrics, ci95, confidence, hits } = document;
  return describeResult(document, {
    title: "Accepted recommendations",
    lead: `${showCount(counts.hits, "hit")} of ${showCount(counts.answers, "answer")} were shown, and ${counts.accepted.toLocaleString("en")} accepted. An answer has helped if one of its hits was accepted. Intervals from resampling answers.`,
    headline: Object.entries(metrics).map(([name, value]) => ({ name, value, interval: ci95[name] })),
    sections: [
      { id: "summary", title: "All hits", blocks: [metricTable(FEEDBACK_METRICS, { metrics, ci95 })] },
      acceptanceSection("label", document.byLabel),
      acceptanceSection("rank", document.byRank),
      acceptanceSection("mode", document.byMode),
      acceptanceSection("confidence", document.byConfidence),
      acceptanceSection("embedder", document.byEmbedder),
      ...confidenceSection(confidence === null ? [] : [{ name: "all hits", figures: confidence }], {
        share: "shareAccepted",
        outcome: "accepted",
        unit: "answers",
        reliabilityCaption:
          "The share of the hits that were accepted over their mean confidence, in ten bins; the number is the count of hits in a bin. A confidence is the probability that a hit is useful. People do not accept every useful hit, so dots below the diagonal are to be expected.",
        cutoffCaption:
          "What another minConfidence would have shown. Share accepted: of the hits left. Answered: answers that would have shown any hit. Helped: answers that would have shown an accepted one. Hits that were never shown are unknown, so a minConfidence below that of the service changes nothing here.",
      }),
      { id: "hits", title: "Every hit", blocks: [hitTable(hits)] },
    ],
    problems: { none: "None: every event could be read." },
  });
}

function acceptanceSection(name: string, groups: readonly NamedAcceptance[]): Section {
  return {
    id: `by-${name}`,
    title: `By ${name}`,
    blocks: [
      {
        kind: "figure",
        title: `Accepted, by ${name}`,
        caption: "Shares of the hits that were seen, with Wilson's 95 % intervals; their number is beside the name.",
        plot: () =>
          groups.length === 0
            ? null
            : {
                type: "intervals",
                valueName: "accepted",
                rows: groups.map(({ name: group, shown, rate, interval }) => ({
                  name: group,
                  note: String(shown),
                  value: rate,
                  interval,
                })),
              },
      },
      {
        kind: "table",
        name: `by ${name}`,
        columns: [textColumn(name), countColumn("shown"), countColumn("accepted"), estimateColumn("rate")],
        rows: () =>
          groups.map(({ name: group, shown, accepted, rate, interval }) => [
            group,
            shown,
            accepted,
            { value: rate, interval },
          ]),
        // A single group would repeat the summary.
        ...(groups.length > 1 && { terminal: { layout: "rows" } }),
      },
    ],
  };
}

function hitTable(hits: FeedbackResult["hits"]): Table {
  return {
    kind: "table",
    name: "per hit",
    isLong: true,
    columns: [
      ...["hit", "answer"].map(textColumn),
      countColumn("rank"),
      textColumn("mode"),
      figureColumn("confidence"),
      ...["labels", "embedder", "accepted"].map(textColumn),
    ],
    rows: () =>
      hits.map(({ answer, rank, mode, confidence, labels, embedder, accepted }) => [
        `${answer} ${rank}`,
        answer,
        rank,
        mode,
        confidence,
        labels.join(" "),
        embedder,
        accepted ? "yes" : "no",
      ]),
  };
}
