import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Acceptance } from "../../../ask/answers.js";
import { EVENTS, type FeedbackEvent, seenHits, summarize } from "../../../ask/feedback.js";
import { RecommenderError } from "../../../errors.js";
import { commonShape } from "../../result-document.js";
import { clusterValues, groupBy, intervalsOf, type Measured, meansOf } from "../../statistics/bootstrap.js";
import { confidenceShape, measureConfidence } from "../../statistics/calibration.js";
import { type Pairing, pairClusters, requireSame } from "../../statistics/permutation.js";
import type { Bench } from "../../suite.js";

/** Acceptance over the seen hits and over answers, and the calibration error of confidences. */
export const FEEDBACK_METRICS = [
  { name: "acceptance", better: "higher" },
  { name: "helped", better: "higher" },
  { name: "ece", better: "lower" },
] as const;

const MEAN_METRICS = ["acceptance", "helped"];

/** Counts acceptances of the hits that users saw. Hits of one answer are not independent, so answers are resampled. */
export function scoreFeedback(
  { events, unreadable }: KeptEvents,
  { manifest }: Pick<Bench, "manifest">,
  config: FeedbackResult["config"],
): FeedbackResult {
  const hits = seenHits(events).map(toHit);
  const answers = groupBy(hits, ({ answer }) => answer);
  const rows = measureAnswers(answers);
  const means = meansOf(MEAN_METRICS, rows);
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
    ci95: intervalsOf(MEAN_METRICS, rows, ({ answer }) => answer),
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

/** Rows of hits and rows of answers, each with the share that was accepted. */
function measureAnswers(answers: ReadonlyMap<string, readonly FeedbackHit[]>): (Measured & { answer: string })[] {
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

/** Compares confidences with acceptances. Hits without a confidence are left out; null if no hit is left. */
function confidenceFigures(hits: readonly FeedbackHit[]): FeedbackResult["confidence"] {
  const sure = hits.flatMap(({ answer, confidence, accepted }) =>
    confidence === null ? [] : [{ answer, confidence, right: accepted }],
  );
  return measureConfidence([...groupBy(sure, ({ answer }) => answer).values()], "shareAccepted");
}

/** Pairs the answers of two runs by id. */
export function pairFeedback(a: FeedbackResult, b: FeedbackResult): Pairing {
  requireSame("answers", a.hits, b.hits, ({ answer }) => answer);
  const clusters = ({ hits }: FeedbackResult) =>
    clusterValues(
      measureAnswers(groupBy(hits, ({ answer }) => answer)).map(({ answer, values }) => ({ id: answer, values })),
    );
  const metrics = FEEDBACK_METRICS.filter(({ name }) => name !== "ece").map(({ name }) => name);
  return {
    unit: "answer",
    metrics,
    decisive: metrics[0],
    units: pairClusters(clusters(a), clusters(b)),
    better: () => "higher",
  };
}

const eventSchema = z.object({
  at: z.string(),
  event: z.enum(EVENTS),
  recommendation: z.string(),
  rank: z.int().min(1),
  mode: z.string(),
  confidence: z.number().min(0).max(1).nullable(),
  labels: z.array(z.string()),
  embedder: z.string(),
});

export interface KeptEvents {
  readonly events: readonly FeedbackEvent[];
  /** Number of lines that are not events, such as a last line truncated by a crash. */
  readonly unreadable: number;
}

/** The feedback file of a service. */
export function readEvents(file: string): KeptEvents {
  const lines = readLines(file);
  const parsed = lines.map((line) => eventSchema.safeParse(parseJson(line)));
  const events = parsed.flatMap(({ data }) => (data === undefined ? [] : [data]));
  return { events, unreadable: lines.length - events.length };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (cause) {
    const message = `There is no feedback in ${file}; a service keeps it if CELREC_FEEDBACK=on is set.`;
    throw new RecommenderError("NOT_FOUND", message, { cause });
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const { k: _, ...shapeWithoutK } = commonShape;

const acceptance = z.strictObject({
  name: z.string(),
  shown: z.int(),
  accepted: z.int(),
  rate: z.number().nullable(),
  /** Wilson's 95 % interval of a share. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
});

const hitSchema = z.strictObject({
  answer: z.string(),
  rank: z.int(),
  mode: z.string(),
  confidence: z.number().nullable(),
  labels: z.array(z.string()),
  embedder: z.string(),
  accepted: z.boolean(),
});

/** The result of `celrec eval feedback`. */
export const feedbackResultSchema = z.strictObject({
  suite: z.literal("feedback"),
  ...shapeWithoutK,
  counts: z.strictObject({
    /** Numbers of answers with an event, of their shown hits, and of accepted hits. */
    answers: z.int(),
    hits: z.int(),
    accepted: z.int(),
    ...(Object.fromEntries(EVENTS.map((name) => [`${name} events`, z.int()])) as Record<string, z.ZodInt>),
  }),
  metrics: z.strictObject({
    acceptance: z.number().nullable(),
    helped: z.number().nullable(),
    ece: z.number().nullable(),
  }),
  byLabel: z.array(acceptance),
  byRank: z.array(acceptance),
  byMode: z.array(acceptance),
  byConfidence: z.array(acceptance),
  byEmbedder: z.array(acceptance),
  /** Null if no hit has a confidence. */
  confidence: z.strictObject(confidenceShape("shareAccepted")).nullable(),
  problems: z.strictObject({ unreadable: z.int() }),
  hits: z.array(hitSchema),
});

export type FeedbackResult = z.infer<typeof feedbackResultSchema>;
type FeedbackHit = FeedbackResult["hits"][number];
export type NamedAcceptance = z.infer<typeof acceptance>;
