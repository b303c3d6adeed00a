import { z } from "zod";

/**
 * Values by the printed name of the metric; null if nothing could be measured (no vectors, no confidences, no calls).
 */
export const figuresSchema = z.record(z.string(), z.number().nullable());
export const intervalsSchema = z.record(z.string(), z.tuple([z.number(), z.number()]));

/** Milliseconds of one stage over all requests. */
const latencySchema = z.record(
  z.string(),
  z.strictObject({ mean: z.number(), p50: z.number(), p95: z.number(), p99: z.number(), max: z.number() }),
);

/** Numbers of requests with a problem. No problem ends a run: the query is scored with the returned cells. */
export const targetProblemsSchema = z.strictObject({
  timeouts: z.int(),
  errors5xx: z.int(),
  /** All other failures, such as a 4xx status, no connection, or a command that failed. */
  errorsOther: z.int(),
  /** Lists with fewer than k cells. */
  short: z.int(),
  /** Lists that contain a cell twice. */
  duplicates: z.int(),
  /** Answers, or parts of them, that could not be read. */
  junk: z.int(),
});

/** Everything needed to repeat a run. */
export const manifestSchema = z.object({
  versions: z.record(z.string(), z.string()),
  /** The command line as typed, without options that only name output files. */
  command: z.string().optional(),
  /** The settings in effect: embedder, labeller, store, ... */
  settings: z.record(z.string(), z.json()),
  /** Hex sha-256 of each input, by its role: `seeds`, `distractors`, `cases`, `index`. */
  inputs: z.record(z.string(), z.string()),
  /** Tokens and cost of a language model. */
  usage: z.record(z.string(), z.number().nullable()).optional(),
});

/** Published figures, shown beside the measured ones. */
export const publishedSchema = z.strictObject({
  name: z.string(),
  figures: figuresSchema,
  /** Whether the figures were measured on the data of this run, which is rare. */
  sameData: z.boolean(),
  source: z.string(),
});

/** The common parts of all results. */
export const commonShape = {
  k: z.int().positive(),
  /** The options of the run. */
  config: z.record(z.string(), z.json()),
  ci95: intervalsSchema,
  latency: latencySchema,
  manifest: manifestSchema,
  published: z.array(publishedSchema).optional(),
};

export type Figures = z.infer<typeof figuresSchema>;
export type Intervals = z.infer<typeof intervalsSchema>;
export type Latency = z.infer<typeof latencySchema>;
export type TargetProblems = z.infer<typeof targetProblemsSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type Published = z.infer<typeof publishedSchema>;

/** The common part of all documents. */
export interface SuiteDocument {
  readonly suite: string;
  readonly k?: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: Readonly<Record<string, unknown>>;
  readonly ci95: Intervals;
  readonly latency: Latency;
  readonly manifest: Manifest;
  readonly published?: readonly Published[] | undefined;
}
