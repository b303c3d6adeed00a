import { z } from "zod";
import { commonShape, figuresSchema, intervalsSchema, targetProblemsSchema } from "../../result-document.js";
import { confidenceShape } from "../../statistics/calibration.js";

const measured = { metrics: figuresSchema, ci95: intervalsSchema };

/** Keystrokes saved by a typist who sees only suggestions above a threshold. */
const curve = z.array(
  z.strictObject({
    threshold: z.number(),
    saved: z.number(),
    shown: z.int(),
    /** Share of the shown suggestions that were completely right; null if none was shown. */
    right: z.number().nullable(),
  }),
);

const caseSchema = z.strictObject({
  id: z.string(),
  notebook: z.string(),
  kind: z.string(),
  /** Whether the whole line is still to be typed. */
  line: z.boolean(),
  /** Whether the cell is in the index with the same cleaned text. */
  copy: z.boolean(),
  /** Values by metric, without the prefixes `inside-` and `line-`. */
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
    /** Number of cells typed by the simulated typist, and of its questions. */
    typedCells: z.int(),
    typistQuestions: z.int(),
  }),
  metrics: figuresSchema,
  withoutCopies: z.strictObject(measured),
  baselines: z.record(z.string(), z.strictObject({ ...measured, withoutCopies: z.strictObject(measured), curve })),
  byKind: z.array(z.strictObject({ kind: z.string(), cases: z.int(), metrics: figuresSchema })),
  /** Empty if no cell was typed. */
  curve,
  /** A confidence is the probability that a completion is right. Null if the target gives none. */
  confidence: z.strictObject(confidenceShape("share")).nullable(),
  problems: z.strictObject({ target: targetProblemsSchema }),
  cases: z.array(caseSchema),
});

export type CursorResult = z.infer<typeof cursorResultSchema>;
export type CursorCaseResult = CursorResult["cases"][number];
export type CursorMeasured = CursorResult["withoutCopies"];
