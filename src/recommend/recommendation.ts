import { z } from "zod";
import type { Immutable } from "../config.js";
import { notebookFacts } from "../notebook/notebook.js";

/** `similar`: cells like the current one. `complete`: the rest of the current cell. `next`: the next cell. */
export const ANSWER_MODES = ["similar", "complete", "next"] as const;
export type AnswerMode = (typeof ANSWER_MODES)[number];

/** `auto` is `complete` if something is typed, else `next`. */
export const MODES = ["auto", ...ANSWER_MODES] as const;
export type Mode = (typeof MODES)[number];

export const FILTERS = ["strict", "soft", "off"] as const;
export type FilterMode = (typeof FILTERS)[number];

/** Fields that several schemas share. */
export const id = z.string().describe("Hex sha-256.");
export const count = z.int().min(0);
export const probability = z.number().min(0).max(1);
export const labels = z.array(z.string()).describe("In the order of the label set.");
export const primary = z.string().nullable().describe("The most probable of the labels; null if there is none.");
export const labelProbabilities = z
  .array(z.strictObject({ label: z.string(), probability }))
  .describe("The assigned labels, most probable first.");

/** The notebook from which a cell is shown. */
export const provenance = z.strictObject({
  id,
  source: z.string(),
  name: z.string().describe("The path in the source."),
  cellIndex: count,
  ...notebookFacts.shape,
});

/** How a cell applies to the typed code. */
const adaptation = {
  matched: z
    .array(z.strictObject({ start: count, end: count }))
    .describe(
      "Lines of the cell that are typed already, from `start` up to `end`, counted from 0. Variable names may differ. A partly typed line is not included.",
    ),
  insert: z
    .string()
    .describe(
      "The text to insert at the cursor: the rest of the current line, then the cell's statements after the last matched line, indented to fit. Empty if the current line is unfinished and the cell does not continue it.",
    ),
  continuesLine: z
    .boolean()
    .describe(
      "Whether the insertion, with the variable names of the typed code, continues the cursor's line; if not, it starts a new line.",
    ),
  excerpt: z
    .array(z.strictObject({ line: count, text: z.string() }))
    .describe("The lines to show of the cell, with their numbers from 0."),
  adapted: z
    .strictObject({ code: z.string(), insert: z.string(), renamed: z.record(z.string(), z.string()) })
    .describe("Code and insertion with the variable names of the typed code, and the replaced names."),
};
export type Adaptation = Immutable<z.output<z.ZodObject<typeof adaptation>>>;

/** A stored cell, and how it applies to the typed code. */
export const recommendation = z.strictObject({
  rank: z.int().min(1),
  id,
  code: z.string(),
  ...adaptation,
  score: z.number(),
  confidence: probability.nullable().describe("The probability that the hit helps; null if it was never calibrated."),
  labels,
  occurrences: count.describe("Number of occurrences of the cell, without the excluded ones."),
  variants: z
    .int()
    .min(1)
    .exactOptional()
    .describe("How many further candidates add the same code with other literals, such as paths or colours."),
  notebook: provenance,
  why: z.record(z.string(), z.number()).exactOptional().describe("What each feature added to the score."),
});
export type Recommendation = Immutable<z.output<typeof recommendation>>;

export const recommendAnswer = z.strictObject({
  id: z.uuid().describe("The id of this answer, for feedback."),
  query: z.strictObject({ primary, labels: labelProbabilities }).describe("What the query seems to do."),
  mode: z.enum(ANSWER_MODES).describe("The mode that was used: that of the request, or what `auto` resolved to."),
  highestConfidence: probability
    .nullable()
    .describe("The highest confidence of all candidates, including those left out; null if it was never calibrated."),
  widened: z.boolean().describe("Whether the label filter left fewer than k cells and unfiltered cells were added."),
  recommendations: z.array(recommendation),
  took: z.record(z.string(), z.number().min(0)).describe("Milliseconds per stage."),
});
export type RecommendAnswer = Immutable<z.output<typeof recommendAnswer>>;
