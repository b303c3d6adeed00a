import { z } from "zod";
import { commonShape, figuresSchema, intervalsSchema } from "../../result-document.js";

const { k: _, ...shapeWithoutK } = commonShape;

/** A bin of probabilities: their mean, and the share of them that came true; both null if it is empty. */
const binSchema = z.strictObject({
  from: z.number(),
  cells: z.int(),
  probability: z.number().nullable(),
  share: z.number().nullable(),
});

const labelSchema = z.strictObject({
  label: z.string(),
  /** Cells that have the label in the truth, and cells that the labeller gives it to. */
  cells: z.int(),
  given: z.int(),
  /** Null if the denominator is 0. */
  precision: z.number().nullable(),
  recall: z.number().nullable(),
  f1: z.number().nullable(),
  ci95: intervalsSchema,
  /** Null for a label that the labeller does not know. */
  ece: z.number().nullable(),
  calibration: z.array(binSchema),
});

/** Null if no label was given instead, or if none was missed. */
const insteadSchema = z.strictObject({
  missed: z.string().nullable(),
  given: z.string().nullable(),
  cells: z.int(),
});

const prefixShape = { prefixes: z.int(), met: z.number().nullable(), kept: z.number().nullable() };

const cellSchema = z.strictObject({
  id: z.string(),
  notebook: z.string(),
  truth: z.array(z.string()),
  /** The assigned labels, most probable first. */
  given: z.array(z.string()),
  /**
   * With `--partial`, for a cell of three or more lines: its prefixes, those that keep a true label, and the sum of the
   * shares of all cells that the filter lets through.
   */
  partial: z.strictObject({ prefixes: z.int(), met: z.int(), kept: z.number() }).optional(),
});

/** A cell by its most confident mistake: a wrong label with a high probability, or a true one with a low. */
const worstSchema = z.strictObject({
  id: z.string(),
  notebook: z.string(),
  mistake: z.enum(["wrong", "missed"]),
  label: z.string(),
  probability: z.number(),
  truth: z.array(z.string()),
  given: z.array(z.string()),
  code: z.string(),
});

/** The result of `celrec eval labels`. */
export const labelsResultSchema = z.strictObject({
  suite: z.literal("labels"),
  ...shapeWithoutK,
  counts: z.strictObject({
    cells: z.int(),
    notebooks: z.int(),
    /** Cells that have no label. */
    unlabelled: z.int(),
    /** Line prefixes that were asked; 0 without `--partial`. */
    prefixes: z.int(),
  }),
  metrics: figuresSchema,
  byLabel: z.array(labelSchema),
  confusion: z.strictObject({
    /** What was given instead of a missed label, most frequent first. */
    instead: z.array(insteadSchema),
    /** How many cells had `missed` missing and `right` correctly assigned. */
    beside: z.array(z.strictObject({ missed: z.string(), right: z.string(), cells: z.int() })),
  }),
  partial: z
    .strictObject({
      byLines: z.array(z.strictObject({ lines: z.int(), ...prefixShape })),
      byLabel: z.array(z.strictObject({ label: z.string(), ...prefixShape })),
    })
    .optional(),
  worst: z.array(worstSchema),
  problems: z.strictObject({
    /** Label of the truth that the labeller does not know -> cells; they count as missed. */
    unknownLabels: z.record(z.string(), z.int()),
  }),
  cells: z.array(cellSchema),
});

export type LabelsResult = z.infer<typeof labelsResultSchema>;
export type LabelledCell = LabelsResult["cells"][number];
export type LabelFigures = LabelsResult["byLabel"][number];
export type WorstCell = LabelsResult["worst"][number];
export type Confusion = LabelsResult["confusion"];
