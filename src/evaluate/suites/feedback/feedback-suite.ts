import { join } from "node:path";
import { REPORTS } from "../../reports/index.js";
import { hashOf } from "../../runner/inputs.js";
import type { PlainSuite, Prepared } from "../../suite.js";
import { describeFeedback } from "./feedback-report.js";
import { type FeedbackResult, feedbackResultSchema } from "./feedback-result.js";
import { FEEDBACK_METRICS, type KeptEvents, pairFeedback, readEvents, scoreFeedback } from "./feedback-score.js";

export interface FeedbackOptions {
  readonly events?: string;
  /** The folder of the index, as every command takes it. */
  readonly data?: string;
}

export interface FeedbackCases extends Prepared {
  readonly kept: KeptEvents;
  readonly origin: { readonly events: string };
}

/** What did people do with what they were shown? */
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
