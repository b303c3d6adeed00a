import { z } from "zod";
import {
  commonShape,
  figuresSchema,
  intervalsSchema,
  manifestSchema,
  targetProblemsSchema,
} from "../../result-document.js";
import { protocolSchema } from "./protocol.js";

/**
 * Metrics are keys of a row: `{seed, lines, "precision@3": .67}`. They are numbers or null; the type says
 * string too, because an index signature must cover all keys of its row.
 */
const metricsBeside: z.ZodType<number | string | null> = z.number().nullable();

/**
 * A returned cell. `seed` and `mutant` (1..m) are null for a cell that is not a mutant; `score` is null if the target
 * gives none.
 */
const resultSchema = z.strictObject({
  id: z.string(),
  seed: z.string().nullable(),
  mutant: z.int().positive().nullable(),
  rating: z.int().nonnegative(),
  score: z.number().nullable(),
});

/** Numbers of cells: relevant and returned (TP), only returned (FP), only relevant (FN), neither (TN). */
const confusionSchema = z.strictObject({ tp: z.int(), fp: z.int(), fn: z.int(), tn: z.int() });

const querySchema = z.strictObject({
  id: z.string(),
  seed: z.string(),
  lines: z.int().positive(),
  label: z.string().nullable(),
  results: z.array(resultSchema),
  confusion: confusionSchema.optional(),
});

/** How often queries found the mutants of one operator. `queries` counts the queries whose seed has such a mutant. */
const foundSchema = z.strictObject({ queries: z.int(), found: z.number() });

const operatorSchema = z.strictObject({
  operator: z.string(),
  /** 1..m; null for a hard negative, which should not be found. */
  mutant: z.int().positive().nullable(),
  rating: z.int(),
  cells: z.int(),
  ...foundSchema.shape,
  /** Mean rank of the found mutants; null if none was found. */
  meanRank: z.number().nullable(),
  byLabel: z.array(z.strictObject({ label: z.string().nullable(), ...foundSchema.shape })),
});

const seedSchema = z.strictObject({
  seed: z.string(),
  hash: z.string(),
  lines: z.int(),
  mutants: z.array(
    z.strictObject({ mutant: z.int().positive(), operator: z.string(), rating: z.int(), id: z.string() }),
  ),
  hardNegatives: z.array(z.strictObject({ operator: z.string(), id: z.string() })).optional(),
});

const correlationSchema = z.strictObject({
  value: z.number().nullable(),
  interval: z.tuple([z.number(), z.number()]).nullable(),
});

/** The correlation of a metric with the number of lines of a query. */
const slocSchema = z.strictObject({ metric: z.string(), pearson: correlationSchema, spearman: correlationSchema });

/** The result of `celrec eval celrec`. */
export const celrecResultSchema = z.strictObject({
  suite: z.literal("celrec"),
  ...commonShape,
  counts: z.strictObject({
    seeds: z.int(),
    queries: z.int(),
    recommendationCells: z.int(),
    distractors: z.int(),
  }),
  /** How mutants and queries are made and rated; the paper's protocol if it is missing. */
  protocol: protocolSchema.optional(),
  /** Sums over all queries. */
  confusion: confusionSchema.optional(),
  /** Correlations with the query length (EQ2 of the paper), one row per metric. */
  sloc: z.array(slocSchema).optional(),
  /** Baselines on the same queries and cells. */
  baselines: z.record(z.string(), z.strictObject({ metrics: figuresSchema, ci95: intervalsSchema })).optional(),
  /** MPS1 of the paper: means over all queries, and the metrics of the whole run. */
  mps1: figuresSchema,
  /** MPS2 of the paper: means per seed, best first by precision, then AP, then nDCG, the columns of its Table 2. */
  mps2: z.array(z.object({ seed: z.string(), lines: z.int() }).catchall(metricsBeside)),
  byLines: z.array(z.object({ lines: z.int(), queries: z.int() }).catchall(metricsBeside)),
  byLabel: z.array(z.object({ label: z.string().nullable(), queries: z.int() }).catchall(metricsBeside)),
  byOperator: z.array(operatorSchema),
  /** The score of the best single list for every group of queries with equal cleaned text. */
  ceiling: figuresSchema,
  problems: z.strictObject({
    target: targetProblemsSchema,
    /** For each operator, the number of seeds that it did not change. */
    unchanged: z.record(z.string(), z.int()),
    /** For each operator, the number of seeds on which it failed. */
    failed: z.record(z.string(), z.int()),
    droppedDistractors: z.int(),
    /** Omitted seeds with the reason. */
    seeds: z.array(z.strictObject({ seed: z.string(), reason: z.string() })),
  }),
  manifest: manifestSchema.extend({ seeds: z.array(seedSchema) }),
  queries: z.array(querySchema),
});

export type CelrecResult = z.infer<typeof celrecResultSchema>;
export type CelrecQuery = CelrecResult["queries"][number];
export type Confusion = z.infer<typeof confusionSchema>;
export type QueryResult = z.infer<typeof resultSchema>;

/** The value of a metric in a row of a view; null if the row has none. */
export function figureIn(row: Readonly<Record<string, unknown>>, metric: string): number | null {
  const value = row[metric];
  return typeof value === "number" ? value : null;
}

/** A returned cell with its rating. `confidence` is used for calibration and not stored. */
export interface JudgedHit extends QueryResult {
  readonly confidence?: number | null;
}

/** A query and its answer. */
export interface QueryOutcome {
  readonly id: string;
  readonly seed: string;
  readonly lines: number;
  readonly label: string | null;
  /** The cleaned text or its hash; equal for queries that a recommender cannot distinguish. */
  readonly group: string;
  /** Best first, each cell once (see `deduplicate`). */
  readonly results: readonly JudgedHit[];
  /** See `pairCosines`. */
  readonly cosines?: readonly number[] | undefined;
  /** Milliseconds by stage. */
  readonly took?: Readonly<Record<string, number>> | undefined;
}
