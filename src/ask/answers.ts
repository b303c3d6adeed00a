import { z } from "zod";

/** The shapes of answers: what the API document tells, and what the tests hold the service to. */
const id = z.string().describe("Hex sha-256.");
const count = z.int().min(0);
const labels = z.array(z.string()).describe("In the order of the label set.");
const primary = z.string().nullable().describe("The most probable of the labels; null where there is none.");
const probability = z.number().min(0).max(1);
const labelProbabilities = z
  .array(z.strictObject({ label: z.string(), probability }))
  .describe("The assigned labels, most probable first.");
const labelCounts = z.record(z.string(), count);

const facts = {
  location: z.string().optional().describe("The path or the URL that opens the notebook."),
  title: z.string().optional(),
  author: z.string().optional(),
  licence: z.string().optional(),
  votes: z.number().optional(),
  url: z.string().optional().describe("Where it was published, if `location` opens it on this machine."),
  revision: z.string().optional().describe("The version that its publisher gave it."),
};

export const recommendAnswer = z.strictObject({
  id: z.uuid().describe("The id of this answer, for feedback."),
  query: z.strictObject({ primary, labels: labelProbabilities }).describe("What the query seems to do."),
  mode: z.enum(["similar", "complete", "next"]).describe("What `auto` came to, or what was asked for."),
  highestConfidence: probability
    .nullable()
    .describe("Of all cells that were looked at, also of those left out; null where that was never measured."),
  widened: z.boolean().describe("Whether the filter left fewer than k cells, so that others were added behind them."),
  recommendations: z.array(
    z.strictObject({
      rank: z.int().min(1),
      id,
      code: z.string(),
      matched: z
        .array(z.strictObject({ start: count, end: count }))
        .describe(
          "Lines of the cell that are typed already, from `start` up to `end`, counted from 0; free names may differ. A line that is typed in part is not among them.",
        ),
      insert: z
        .string()
        .describe(
          "What would go behind the cursor: how the cell ends what is begun there, then its statements behind the last matched line, indented to stand there. Empty where the line of the cursor cannot end as it is, and the cell does not say how it goes on.",
        ),
      continuesLine: z
        .boolean()
        .describe(
          "Whether the insertion, in the names of the typed code, goes on in the line of the cursor; else it starts a new one.",
        ),
      excerpt: z
        .array(z.strictObject({ line: count, text: z.string() }))
        .describe("The lines to show of the cell, with their numbers from 0."),
      adapted: z
        .strictObject({ code: z.string(), insert: z.string(), renamed: z.record(z.string(), z.string()) })
        .describe("Code and insertion in the names of the typed code, and which names became which."),
      score: z.number(),
      confidence: probability
        .nullable()
        .describe("The probability that the hit is useful; null where that was never measured."),
      labels,
      occurrences: count.describe("In how many positions the cell stands, excluded ones left out."),
      notebook: z.strictObject({ id, source: z.string(), name: z.string(), cellIndex: count, ...facts }),
      why: z.record(z.string(), z.number()).optional().describe("What each feature added to the score."),
    }),
  ),
  took: z.record(z.string(), z.number().min(0)).describe("Milliseconds per stage."),
});

export const completeAnswer = z.strictObject({
  id: z.uuid().describe("The id of this answer."),
  completions: z
    .array(
      z.strictObject({
        text: z.string().describe("Goes in at the cursor as it is."),
        confidence: probability.describe("The probability that this is what the user would type."),
        kind: z
          .enum(["token", "line", "block"])
          .describe("How far it goes: to the end of a token, of the line, or of several lines."),
        from: z.enum(["notebook", "index", "prior"]).describe("What it was learnt from mostly."),
        cells: z.array(id).describe("Stored cells that hold it."),
      }),
    )
    .describe("The most probable first."),
  took: z.record(z.string(), z.number().min(0)).describe("Milliseconds per stage."),
});

export const searchAnswer = z.strictObject({
  cells: z.array(
    z.strictObject({
      rank: z.int().min(1),
      id,
      code: z.string(),
      score: z.number(),
      labels,
      occurrences: count,
      notebook: z.strictObject({ id, source: z.string(), name: z.string(), cellIndex: count, ...facts }),
    }),
  ),
});

const labelled = {
  primary,
  labels: labelProbabilities,
  probabilities: z.record(z.string(), probability).describe("One per label of the set."),
};
export const labelAnswer = z.union([
  z.strictObject(labelled),
  z.strictObject({ cells: z.array(z.strictObject({ index: count, ...labelled })).describe("One per code cell.") }),
]);

export const uploadAnswer = z.strictObject({
  notebooks: z.array(
    z.strictObject({
      id,
      source: z.string(),
      name: z.string(),
      cells: count.describe("Stored cells."),
      new: count.describe("Of these, the ones that the index did not have."),
      duplicate: count,
      skipped: count.describe("Code cells that are not stored: empty, too long, or without words."),
      replaced: z.boolean().describe("Whether an older version was replaced."),
      labels: labelCounts,
      secrets: z
        .array(z.strictObject({ cellIndex: count, kind: z.string() }))
        .describe("Passwords and keys that were found; masked or refused where the service is set to."),
    }),
  ),
  rejected: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
});

export const notebookList = z.strictObject({
  notebooks: z.array(z.strictObject({ id, source: z.string(), name: z.string(), cells: count, skipped: count })),
  cursor: z.string().nullable().describe("What to ask the next page with; null on the last one."),
});

export const sourceList = z.strictObject({
  sources: z.array(
    z.strictObject({
      id,
      source: z.string(),
      notebooks: count,
      cells: count.describe("Occurrences of cells."),
      skipped: count,
      lastSync: z.string().nullable().describe("When it was last indexed from here; null where that is not known."),
      rejected: count.nullable().describe("Files that were not taken then."),
    }),
  ),
});

export const similarAnswer = z.strictObject({
  notebooks: z.array(
    z.strictObject({
      rank: z.int().min(1),
      id,
      source: z.string(),
      name: z.string(),
      ...facts,
      score: probability.describe("How much of both the two share, in the same order and in the same words."),
      shared: z
        .array(z.strictObject({ cellIndex: count, theirs: count, likeness: z.number() }))
        .describe("Cells that are the same (likeness 1) or alike, by their positions in the two files."),
      inOrder: count.describe("How many of those come in the same order."),
      theirSteps: z.array(z.string()).describe("The tasks of their cells that have no counterpart, in their order."),
    }),
  ),
});

export const notebookAnswer = z.strictObject({
  id,
  source: z.string(),
  name: z.string(),
  ...facts,
  version: z.string().describe("Changes with the content."),
  skipped: count,
  cells: z.array(z.strictObject({ cellIndex: count, id, code: z.string(), labels, primary })),
});

export const cellAnswer = z.strictObject({
  id,
  code: z.string(),
  clean: z.string().describe("Without comments, blank lines and trailing spaces."),
  labels,
  primary,
  count: count.describe("In how many positions the cell stands."),
  occurrences: z.array(
    z.strictObject({
      notebook: z.strictObject({ id, source: z.string(), name: z.string(), ...facts }),
      cellIndex: count,
    }),
  ),
});

export const labelCountsAnswer = z.strictObject({
  labels: z.array(z.strictObject({ label: z.string(), cells: count })),
});

const acceptance = z.strictObject({
  shown: count,
  accepted: count,
  rate: probability.nullable(),
  interval: z.array(probability).length(2).nullable().describe("95 %, Wilson."),
});
const acceptances = z.record(z.string(), acceptance);
export const feedbackSummary = z.strictObject({
  events: z.strictObject({ shown: count, accepted: count, edited: count, dismissed: count }),
  all: acceptance,
  byLabel: acceptances,
  byRank: acceptances,
  byMode: acceptances,
  byConfidence: acceptances,
  byEmbedder: acceptances,
});

export const statsAnswer = z.strictObject({
  cells: count,
  notebooks: count,
  occurrences: count,
  labels: labelCounts,
  embedder: z.strictObject({ id: z.string(), dimensions: z.int().min(1) }),
  labeller: z.string(),
  store: z.strictObject({
    name: z.enum(["embedded", "milvus"]),
    stalenessMs: z.number().min(0).describe("How old an answer may be."),
  }),
});
