import type { Acceptance } from "../../../ask/answers.js";
import { EVENTS, type FeedbackEvent, seenHits, summarize } from "../../../ask/feedback-summary.js";
import { groupBy } from "../../statistics/group-by.js";
import { intervalsOf, type Measured, meansOf } from "../../statistics/means.js";
import type { Bench } from "../../suite.js";
import { confidenceFigures } from "./confidence.js";
import type { FeedbackHit, FeedbackResult, NamedAcceptance } from "./document.js";
import type { KeptEvents } from "./events.js";

/** Over hits that were seen, over answers, and how far confidences are from what was accepted. */
export const FEEDBACK_METRICS = [
  { name: "acceptance", better: "higher" },
  { name: "helped", better: "higher" },
  { name: "ece", better: "lower" },
] as const;

const MEANS = ["acceptance", "helped"];

/** What people did with what they were shown. Hits of one answer are not independent, so answers are drawn. */
export function scoreFeedback(
  { events, unreadable }: KeptEvents,
  { manifest }: Pick<Bench, "manifest">,
  config: FeedbackResult["config"],
): FeedbackResult {
  const hits = seenHits(events).map(toHit);
  const answers = groupBy(hits, ({ answer }) => answer);
  const rows = measure(answers);
  const means = meansOf(MEANS, rows);
  const confidence = confidenceFigures(hits);
  const { byLabel, byRank, byMode, byConfidence, byEmbedder } = summarize(events);
  return {
    suite: "feedback",
    config,
    counts: {
      answers: answers.size,
      hits: hits.length,
      accepted: hits.filter(({ accepted }) => accepted).length,
      ...Object.fromEntries(EVENTS.map((name) => [`${name} events`, count(events, name)])),
    },
    metrics: { acceptance: means.acceptance ?? null, helped: means.helped ?? null, ece: confidence?.ece ?? null },
    ci95: intervalsOf(MEANS, rows, ({ answer }) => answer),
    byLabel: toList(byLabel),
    byRank: toList(byRank).sort((one, other) => Number(one.name) - Number(other.name)),
    byMode: toList(byMode),
    byConfidence: toList(byConfidence),
    byEmbedder: toList(byEmbedder),
    confidence,
    latency: {},
    problems: { unreadable },
    manifest,
    hits,
  };
}

/** The rows of hits have an acceptance, those of answers say whether one was accepted. */
export function measure(answers: ReadonlyMap<string, readonly FeedbackHit[]>): (Measured & { answer: string })[] {
  return [...answers].flatMap(([answer, hits]) => [
    ...hits.map(({ accepted }) => ({ answer, values: [Number(accepted), null] })),
    { answer, values: [null, Number(hits.some(({ accepted }) => accepted))] },
  ]);
}

function toHit({ hit, isAccepted }: ReturnType<typeof seenHits>[number]): FeedbackHit {
  const { recommendation, rank, mode, confidence, labels, embedder } = hit;
  return { answer: recommendation, rank, mode, confidence, labels: [...labels], embedder, accepted: isAccepted };
}

function toList(groups: Readonly<Record<string, Acceptance>>): NamedAcceptance[] {
  return Object.entries(groups).map(([name, { interval, ...rest }]) => ({
    name,
    ...rest,
    interval: interval === null ? null : [interval[0], interval[1]],
  }));
}

const count = (events: readonly FeedbackEvent[], name: string) => events.filter(({ event }) => event === name).length;
