import { z } from "zod";
import { commonShape, intervalsSchema, targetProblemsSchema } from "./common.js";

/** `call-recall` and `call-f1` leave out the cases whose rest has no calls; null where that is all of them. */
const figures = {
  chrf: z.number().nullable(),
  "call-recall": z.number().nullable(),
  "call-f1": z.number().nullable(),
  length: z.number().nullable(),
};

/** The same figures over the cases whose cell does not stand verbatim in the index. */
const withoutCopies = z.strictObject({ ...figures, ci95: intervalsSchema });

const caseSchema = z.strictObject({
  id: z.string(),
  notebook: z.string(),
  /** Whether the cell stands verbatim in the index. */
  copy: z.boolean(),
  chrf: z.number(),
  callRecall: z.number().nullable(),
  callF1: z.number().nullable(),
  length: z.number(),
  /** Ids of the returned cells, best first. */
  results: z.array(z.string()),
});

/** The result of `celrec eval typing`. */
export const typingResultSchema = z.strictObject({
  suite: z.literal("typing"),
  ...commonShape,
  counts: z.strictObject({
    cases: z.int(),
    notebooks: z.int(),
    /** Cases whose cell stands verbatim in the index. */
    copies: z.int(),
    /** Cases whose rest has no calls. */
    withoutCalls: z.int(),
    indexedCells: z.int(),
  }),
  metrics: z.strictObject(figures),
  withoutCopies,
  baselines: z.record(z.string(), z.strictObject({ ...figures, ci95: intervalsSchema, withoutCopies })),
  problems: z.strictObject({ target: targetProblemsSchema }),
  cases: z.array(caseSchema),
});

export type TypingResult = z.infer<typeof typingResultSchema>;
export type TypingCase = TypingResult["cases"][number];
export type TypingFigures = z.infer<typeof withoutCopies>;
