import { z } from "zod";
import { commonShape, figuresSchema, intervalsSchema } from "../../result-document.js";

const { k: _, ...shapeWithoutK } = commonShape;

/** A bin of probabilities: the mean, and the share that came true; both null if the bin is empty. */
const binSchema = z.strictObject({
  from: z.number(),
  cells: z.int(),
  probability: z.number().nullable(),
  share: z.number().nullable(),
});

const labelSchema = z.strictObject({
  label: z.string(),
  /** Numbers of cells with the label in the reference, and in the labeller's output. */
  cells: z.int(),
  given: z.int(),
  /** Null if the denominator is 0. */
  precision: z.number().nullable(),
  recall: z.number().nullable(),
  f1: z.number().nullable(),
  ci95: intervalsSchema,
  /** Null for a label that is unknown to the labeller. */
  ece: z.number().nullable(),
  calibration: z.array(binSchema),
});

/** `missed` is null if no label was missed, `given` if none was given instead. */
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
   * Only with `--partial`, and for cells of three or more lines. `prefixes` is the number of line prefixes, `met` the
   * number that keep a true label, and `kept` the sum of the shares of all cells that pass the filter.
   */
  partial: z.strictObject({ prefixes: z.int(), met: z.int(), kept: z.number() }).optional(),
});

/** A cell with its most confident mistake: a wrong label with a high probability, or a true label with a low one. */
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
    /** The labels given instead of missed ones, most frequent first. */
    instead: z.array(insteadSchema),
    /** Number of cells on which `missed` was missed and `right` was correctly assigned. */
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
    /** Numbers of cells by reference label that is unknown to the labeller; they count as missed. */
    unknownLabels: z.record(z.string(), z.int()),
  }),
  cells: z.array(cellSchema),
});

export type LabelsResult = z.infer<typeof labelsResultSchema>;
export type LabelledCell = LabelsResult["cells"][number];
export type LabelFigures = LabelsResult["byLabel"][number];
export type WorstCell = LabelsResult["worst"][number];
export type Confusion = LabelsResult["confusion"];
