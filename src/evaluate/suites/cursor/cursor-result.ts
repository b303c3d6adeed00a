import { z } from "zod";
import { commonShape, figuresSchema, intervalsSchema, targetProblemsSchema } from "../../result-document.js";

const measured = { metrics: figuresSchema, ci95: intervalsSchema };

/** What a typist saves to whom suggestions below a threshold are not shown. */
const curve = z.array(
  z.strictObject({
    threshold: z.number(),
    saved: z.number(),
    shown: z.int(),
    /** Share of the shown suggestions that were right as a whole; null where none was shown. */
    right: z.number().nullable(),
  }),
);

/** How far a confidence can be trusted: the probability that a completion is right. */
const confidence = z.strictObject({
  hits: z.int(),
  ece: z.number(),
  bins: z.array(
    z.strictObject({
      from: z.number(),
      to: z.number(),
      hits: z.int(),
      meanConfidence: z.number().nullable(),
      share: z.number().nullable(),
    }),
  ),
  cutoffs: z.array(
    z.strictObject({
      minConfidence: z.number(),
      hits: z.int(),
      answered: z.number(),
      helped: z.number(),
      share: z.number().nullable(),
    }),
  ),
});

const caseSchema = z.strictObject({
  id: z.string(),
  notebook: z.string(),
  kind: z.string(),
  /** Whether the whole line is to come. */
  line: z.boolean(),
  /** Whether the cell is in the index with the same cleaned text. */
  copy: z.boolean(),
  /** By the names of the metrics, without `inside-` and `line-`. */
  values: figuresSchema,
  completions: z.array(z.strictObject({ text: z.string(), confidence: z.number().nullable(), right: z.boolean() })),
});

/** The result of `celrec eval cursor`. */
export const cursorResultSchema = z.strictObject({
  suite: z.literal("cursor"),
  ...commonShape,
  counts: z.strictObject({
    cases: z.int(),
    insideCases: z.int(),
    lineCases: z.int(),
    notebooks: z.int(),
    /** Cases whose cell is in the index with the same cleaned text. */
    copies: z.int(),
    indexedCells: z.int(),
    /** Cells that the typist typed, and the questions that this took. */
    typedCells: z.int(),
    typistQuestions: z.int(),
  }),
  metrics: figuresSchema,
  withoutCopies: z.strictObject(measured),
  baselines: z.record(z.string(), z.strictObject({ ...measured, withoutCopies: z.strictObject(measured), curve })),
  byKind: z.array(z.strictObject({ kind: z.string(), cases: z.int(), metrics: figuresSchema })),
  /** Empty where nobody typed. */
  curve,
  /** Null where the target gives no confidences. */
  confidence: confidence.nullable(),
  problems: z.strictObject({ target: targetProblemsSchema }),
  cases: z.array(caseSchema),
});

export type CursorResult = z.infer<typeof cursorResultSchema>;
export type CursorCaseResult = CursorResult["cases"][number];
export type CursorMeasured = CursorResult["withoutCopies"];
