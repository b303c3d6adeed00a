import { z } from "zod";
import type { Immutable } from "../config.js";
import { notebookFacts } from "../notebook/notebook.js";
import {
  count,
  id,
  labelProbabilities,
  labels,
  primary,
  probability,
  recommendation,
} from "../recommend/recommendation.js";

/** The schemas of all answers. The types, the API document and the clients are derived from them. */
export { completeAnswer } from "../complete/completion-request.js";
export { recommendAnswer } from "../recommend/recommendation.js";

const labelCounts = z.record(z.string(), count);
const facts = notebookFacts.shape;

export const searchAnswer = z.strictObject({
  cells: z.array(
    recommendation.pick({
      rank: true,
      id: true,
      code: true,
      score: true,
      labels: true,
      occurrences: true,
      notebook: true,
    }),
  ),
});
export type SearchAnswer = Immutable<z.output<typeof searchAnswer>>;

const labelled = {
  primary,
  labels: labelProbabilities,
  probabilities: z.record(z.string(), probability).describe("One probability per label of the set."),
};
const labelledCell = z.strictObject({ index: count, ...labelled });
/** The labels of one cell, most probable first, and the probability of every label of the set. */
export type LabelledCell = Immutable<z.output<typeof labelledCell>>;
export const labelAnswer = z.union([
  z.strictObject(labelled),
  z.strictObject({ cells: z.array(labelledCell).describe("One entry per code cell.") }),
]);
export type LabelAnswer = Immutable<z.output<typeof labelAnswer>>;

export const uploadAnswer = z.strictObject({
  notebooks: z.array(
    z.strictObject({
      id,
      source: z.string(),
      name: z.string(),
      cells: count.describe("Stored cells."),
      new: count.describe("Cells that were not in the index before."),
      duplicate: count,
      skipped: count.describe("Code cells that are not stored: empty, too long, or without words."),
      replaced: z.boolean().describe("Whether an older version was replaced."),
      labels: labelCounts,
      secrets: z
        .array(z.strictObject({ cellIndex: count, kind: z.string() }))
        .describe("Passwords and keys that were found. The service may be set to mask or refuse them."),
    }),
  ),
  rejected: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
});
export type UploadAnswer = Immutable<z.output<typeof uploadAnswer>>;

export const notebookList = z.strictObject({
  notebooks: z.array(z.strictObject({ id, source: z.string(), name: z.string(), cells: count, skipped: count })),
  cursor: z.string().nullable().describe("Pass it to get the next page; null on the last page."),
});
export type NotebookList = Immutable<z.output<typeof notebookList>>;

export const sourceList = z.strictObject({
  sources: z.array(
    z.strictObject({
      id,
      source: z.string(),
      notebooks: count,
      cells: count.describe("Occurrences of cells."),
      skipped: count,
      lastSync: z.string().nullable().describe("When it was last indexed from this machine; null if unknown."),
      rejected: count.nullable().describe("Number of files that were rejected at that time."),
    }),
  ),
});
export type SourceList = Immutable<z.output<typeof sourceList>>;

export const similarAnswer = z.strictObject({
  notebooks: z.array(
    z.strictObject({
      rank: z.int().min(1),
      id,
      source: z.string(),
      name: z.string(),
      ...facts,
      score: probability.describe("How similar the notebooks are: shared cells, their order, and shared words."),
      shared: z
        .array(z.strictObject({ cellIndex: count, theirs: count, likeness: z.number() }))
        .describe("Pairs of equal (likeness 1) or similar cells, by their positions in the two files."),
      inOrder: count.describe("Number of pairs that are in the same order in both notebooks."),
      theirSteps: z.array(z.string()).describe("The tasks of the cells that only the other notebook has, in order."),
    }),
  ),
});
export type SimilarAnswer = Immutable<z.output<typeof similarAnswer>>;

export const notebookAnswer = z.strictObject({
  id,
  source: z.string(),
  name: z.string(),
  ...facts,
  version: z.string().describe("A value that changes with the content."),
  skipped: count,
  cells: z.array(z.strictObject({ cellIndex: count, id, code: z.string(), labels, primary })),
});
export type NotebookAnswer = Immutable<z.output<typeof notebookAnswer>>;

export const markdownAnswer = z.strictObject({
  cells: z
    .array(z.strictObject({ cellIndex: count, text: z.string() }))
    .describe("The Markdown cells, in order. Empty if the file cannot be read or its code has changed."),
});
export type MarkdownAnswer = Immutable<z.output<typeof markdownAnswer>>;

export const cellAnswer = z.strictObject({
  id,
  code: z.string(),
  clean: z.string().describe("Without comments, blank lines and trailing spaces."),
  labels,
  primary,
  count: count.describe("How many times the cell occurs."),
  occurrences: z.array(
    z.strictObject({
      notebook: z.strictObject({ id, source: z.string(), name: z.string(), ...facts }),
      cellIndex: count,
    }),
  ),
});
export type CellAnswer = Immutable<z.output<typeof cellAnswer>>;

export const labelCountsAnswer = z.strictObject({
  labels: z.array(z.strictObject({ label: z.string(), cells: count })),
});

export const EVENTS = ["shown", "accepted", "edited", "dismissed"] as const;
export type FeedbackKind = (typeof EVENTS)[number];

const acceptance = z.strictObject({
  shown: count,
  accepted: count,
  rate: probability.nullable(),
  interval: z.tuple([probability, probability]).nullable().describe("95 %, Wilson."),
});
/** How many hits were seen and how many of them were accepted. */
export type Acceptance = Immutable<z.output<typeof acceptance>>;
const acceptances = z.record(z.string(), acceptance);
export const feedbackSummary = z.strictObject({
  events: z.strictObject({ shown: count, accepted: count, edited: count, dismissed: count }),
  all: acceptance,
  byLabel: acceptances,
  byRank: acceptances,
  byMode: acceptances,
  byConfidence: acceptances,
  byEmbedder: acceptances,
  byDay: acceptances.describe("By the day (UTC) of the first event of a hit."),
});
export type FeedbackSummary = Immutable<z.output<typeof feedbackSummary>>;

export const statsAnswer = z.strictObject({
  cells: count,
  notebooks: count,
  occurrences: count,
  labels: labelCounts,
  embedder: z.strictObject({ id: z.string(), dimensions: z.int().min(1) }),
  labeller: z.string(),
  store: z.strictObject({
    name: z.enum(["embedded", "milvus"]),
    stalenessMs: z.number().min(0).describe("Maximum age of the data in an answer."),
  }),
});
export type Stats = Immutable<z.output<typeof statsAnswer>>;
