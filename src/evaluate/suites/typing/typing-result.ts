import { z } from "zod";
import { commonShape, intervalsSchema, targetProblemsSchema } from "../../result-document.js";
import { confidenceShape } from "../../statistics/calibration.js";

/** `call-recall` and `call-f1` leave out cases whose rest has no calls; null if no case is left. */
const figures = {
  chrf: z.number().nullable(),
  "call-recall": z.number().nullable(),
  "call-f1": z.number().nullable(),
  length: z.number().nullable(),
  /** Documents of earlier versions lack the following fields and `useful@k`. */
  "chrf-adapted": z.number().nullable().default(null),
  "insert-chrf": z.number().nullable().default(null),
  "first-line": z.number().nullable().default(null),
  "undefined-names": z.number().nullable().default(null),
  silent: z.number().nullable().default(null),
};

/** The only metric whose name contains the k of the run. */
type UsefulAtK = { readonly [name: `useful@${number}`]: number | null };

/** An object with the figures and `shape`. Names that are not in either are `useful@k`: a number or null. */
function withFigures<S extends z.ZodRawShape>(shape: S) {
  const schema = z.object({ ...figures, ...shape }).catchall(z.number().nullable());
  return schema as unknown as z.ZodType<z.infer<z.ZodObject<typeof figures & S>> & UsefulAtK>;
}

/** The figures without copies: cases whose cell is in the index with the same cleaned text. */
const withoutCopies = withFigures({ ci95: intervalsSchema });

/** Confidence figures over the cases whose rest has calls. */
const confidence = confidenceShape("shareUseful");

const caseSchema = z.strictObject({
  id: z.string(),
  notebook: z.string(),
  /** Whether the cell is in the index with the same cleaned text. */
  copy: z.boolean(),
  chrf: z.number(),
  callRecall: z.number().nullable(),
  callF1: z.number().nullable(),
  length: z.number(),
  /**
   * `chrfAdapted` and `insertChrf` are chrF of the cell and of the insertion, in the user's names. `firstLine` is 1 if
   * the first line of the insertion is right.
   */
  chrfAdapted: z.number().nullable().default(null),
  insertChrf: z.number().nullable().default(null),
  firstLine: z.number().nullable().default(null),
  /** Share of the insertions that use an undefined name. */
  undefinedNames: z.number().nullable().default(null),
  /** Ids of the returned cells, best first. */
  results: z.array(z.string()),
  /** The confidence of each result; null if the target gives none. Missing in older documents. */
  confidences: z.array(z.number().nullable()).default([]),
  /** Whether the call F1 of each result is at least .5. Null if the rest has no calls. */
  useful: z.array(z.boolean()).nullable().default(null),
});

/** The result of `celrec eval typing`. */
export const typingResultSchema = z.strictObject({
  suite: z.literal("typing"),
  ...commonShape,
  counts: z.strictObject({
    cases: z.int(),
    notebooks: z.int(),
    /** Cases whose cell is in the index with the same cleaned text. */
    copies: z.int(),
    /** Cases whose rest has no calls. */
    withoutCalls: z.int(),
    indexedCells: z.int(),
  }),
  metrics: withFigures({}),
  withoutCopies,
  baselines: z.record(z.string(), withFigures({ ci95: intervalsSchema, withoutCopies })),
  /** Null if the target gives no confidences. */
  confidence: z
    .strictObject({ ...confidence, withoutCopies: z.strictObject(confidence).nullable() })
    .nullable()
    .default(null),
  problems: z.strictObject({ target: targetProblemsSchema }),
  cases: z.array(caseSchema),
});

export type TypingResult = z.infer<typeof typingResultSchema>;
export type TypingCase = TypingResult["cases"][number];
export type TypingFigures = z.infer<typeof withoutCopies>;
