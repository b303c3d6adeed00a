import { z } from "zod";
import { EVENTS } from "../../../ask/feedback-summary.js";
import { commonShape } from "../../result-document.js";

const { k: _, ...shapeWithoutK } = commonShape;

const acceptance = z.strictObject({
  name: z.string(),
  shown: z.int(),
  accepted: z.int(),
  rate: z.number().nullable(),
  /** 95 %, Wilson. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
});

const confidence = z.strictObject({
  /** Hits that have a confidence. */
  hits: z.int(),
  ece: z.number(),
  /** Ten of equal width; both figures of an empty bin are null. */
  bins: z.array(
    z.strictObject({
      from: z.number(),
      to: z.number(),
      hits: z.int(),
      meanConfidence: z.number().nullable(),
      shareAccepted: z.number().nullable(),
    }),
  ),
  /** What another least confidence would have left of what was shown. */
  cutoffs: z.array(
    z.strictObject({
      minConfidence: z.number(),
      hits: z.int(),
      /** Share of the answers that would have shown any hit, and of those that would have shown an accepted one. */
      answered: z.number(),
      helped: z.number(),
      /** Share of the hits left that were accepted; null where none is. */
      shareAccepted: z.number().nullable(),
    }),
  ),
});

const hit = z.strictObject({
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
    /** Answers that anything is known of, the hits of theirs that somebody saw, and those that were accepted. */
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
  /** Null where no hit has a confidence. */
  confidence: confidence.nullable(),
  problems: z.strictObject({ unreadable: z.int() }),
  hits: z.array(hit),
});

export type FeedbackResult = z.infer<typeof feedbackResultSchema>;
export type FeedbackHit = FeedbackResult["hits"][number];
export type NamedAcceptance = z.infer<typeof acceptance>;
