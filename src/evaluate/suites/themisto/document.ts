import { z } from "zod";
import { figuresSchema, intervalsSchema, publishedSchema } from "../../document.js";
import { predictionShape } from "../../predictions/document.js";

const measuredSchema = z.strictObject({ metrics: figuresSchema, ci95: intervalsSchema });

/** The result of `celrec eval themisto`: the next cell, and what a cell prints. */
export const themistoResultSchema = z.strictObject({
  suite: z.literal("themisto"),
  ...predictionShape,
  counts: z.strictObject({ cases: z.int(), notebooks: z.int(), copies: z.int(), indexedCells: z.int() }),
  /** The outputs of steps, guessed from the nearest earlier executions, without and with the runtime variables. */
  output: z.strictObject({
    cases: z.int(),
    nearest: measuredSchema,
    withVariables: measuredSchema,
    published: z.array(publishedSchema),
  }),
});

export type ThemistoResult = z.infer<typeof themistoResultSchema>;
