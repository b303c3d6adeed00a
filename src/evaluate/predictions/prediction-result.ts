import { z } from "zod";
import { commonShape, figuresSchema, intervalsSchema, targetProblemsSchema } from "../result-document.js";

/** Means and intervals of one system. Figures that start with `best-` take the best of the k for every case. */
const measuredSchema = z.strictObject({ metrics: figuresSchema, ci95: intervalsSchema });

const systemSchema = measuredSchema.extend({ withoutCopies: measuredSchema });

export const predictedCaseSchema = z.strictObject({
  id: z.string(),
  /** Cases of one notebook are not independent, so notebooks are resampled as a whole. */
  notebook: z.string(),
  /** Whether the real cell is in the index verbatim. */
  copy: z.boolean(),
  /** The value of each metric; null if the case does not count for it. */
  values: figuresSchema,
  /** The counts of this case for each metric that is computed from the sums over all cases. */
  counts: z.record(z.string(), z.array(z.number())),
  /** Ids of the returned cells, best first. */
  results: z.array(z.string()),
  /** Further facts about a case, such as the exception that it ended with. */
  notes: z.record(z.string(), z.string()).optional(),
  /** Code by id of returned cells that are not in the index, such as generated ones. */
  texts: z.record(z.string(), z.string()).optional(),
  /** Further texts to show, such as outputs, by their headings. */
  shown: z.record(z.string(), z.string()).optional(),
});

/** The parts of the result of every suite that scores predictions. */
export const predictionShape = {
  ...commonShape,
  metrics: figuresSchema,
  /** The figures without cases whose cell is in the index verbatim. */
  withoutCopies: measuredSchema,
  baselines: z.record(z.string(), systemSchema),
  problems: z.strictObject({ target: targetProblemsSchema }).catchall(z.json()),
  cases: z.array(predictedCaseSchema),
};

const documentSchema = z.strictObject({
  suite: z.string(),
  ...predictionShape,
  counts: z.record(z.string(), z.int()),
});

/** Any result of such a suite. */
export type PredictionResult = z.infer<typeof documentSchema>;
export type PredictedCase = z.infer<typeof predictedCaseSchema>;
export type MeasuredSystem = z.infer<typeof measuredSchema>;
