import { z } from "zod";
import { FILTERS, MODES } from "../recommend/recommendation.js";
import type { NotebookFilter } from "../store/vector-store.js";
import { EVENTS } from "./answers.js";
import { DEFAULTS, LIMITS } from "./limits.js";
import {
  anyText,
  choice,
  fields,
  flag,
  hexId,
  integer,
  list,
  named,
  nameText,
  queryInteger,
  share,
  shortText,
} from "./parse-input.js";

/** Restricts the notebooks that cells may come from. */
const scopeFields = () => ({
  sources: list(nameText(LIMITS.nameCharacters), LIMITS.sources, "names of sources")
    .optional()
    .describe("Only cells from notebooks of these sources; never widened."),
  minVotes: integer(0, 1_000_000_000)
    .optional()
    .describe("Only cells from notebooks with at least this many votes; never widened."),
});

const settings = {
  k: integer(1, LIMITS.k).default(DEFAULTS.k).describe("Maximum number of cells."),
  label: anyText().meta({ isLabel: true }).optional().describe("Only cells that have this label."),
  filter: choice(FILTERS)
    .optional()
    .describe(
      "How the labels of the query filter cells. `strict`: cells with the same primary label. `soft`: cells with any label that the query may still get. `off`: no filter. Default: `soft`, or `strict` with the paper's preset.",
    ),
  mode: choice(MODES)
    .optional()
    .describe(
      "`auto` (default): `complete` if the cell has code, otherwise `next`. `complete`: cells that continue this one. `next`: cells that follow the cells above. `similar`: cells like this one.",
    ),
  ...scopeFields(),
  diversity: share()
    .optional()
    .describe("How much a hit is rewarded for differing from the hits before it. The default depends on the mode."),
  minConfidence: share()
    .optional()
    .describe("Leaves out hits with a lower confidence. Default: 0.1 in `auto`, otherwise 0."),
  context: fields({
    before: list(anyText(), LIMITS.before.cells, "strings")
      .optional()
      .describe("The code cells above, the nearest last; together at most 1 MB."),
    markdown: shortText(LIMITS.markdownCharacters).optional().describe("The Markdown above."),
    variables: named(nameText(LIMITS.nameCharacters), "names of variables with the names of their types")
      .optional()
      .describe("Names of a live kernel's variables with the names of their types."),
  })
    .optional()
    .describe("The cells and Markdown above the cell in the notebook."),
  explain: flag().optional().describe("Whether to return how much each feature contributed to the score of a hit."),
  collapse: flag()
    .optional()
    .describe(
      "Whether to show only the best of several cells whose code is equal except for comments. True by default.",
    ),
  exclude: fields({
    notebooks: list(
      z.union([hexId(), fields({ source: nameText(LIMITS.nameCharacters), path: nameText(LIMITS.nameCharacters) })]),
      LIMITS.excluded,
      "notebooks",
    ),
  })
    .optional()
    .describe("Notebooks to leave out, by id or by source and path."),
};

/** The code of a cell, or the position of a stored cell. */
export const askRequest = z.union([
  fields({
    code: anyText().describe("The cell as far as it is typed: its text before the cursor; at most 256 KB."),
    suffix: anyText()
      .optional()
      .describe("The cell's text after the cursor; at most 256 KB. A completion does not repeat it."),
    ...settings,
  }),
  fields({
    notebook: hexId().describe("The id of a stored notebook."),
    cellIndex: integer(0, 1_000_000).describe("The index of one of its code cells."),
    ...settings,
  }),
]);
export type AskRequest = z.output<typeof askRequest>;
/** The options of a request, without the code. */
export type AskOptions = Omit<Extract<z.input<typeof askRequest>, { code: string }>, "code">;

const variableFacts = fields({
  type: nameText(LIMITS.nameCharacters).describe("The name of its type."),
  columns: list(shortText(LIMITS.nameCharacters), LIMITS.members, "columns").optional().describe("Columns of a frame."),
  members: list(shortText(LIMITS.nameCharacters), LIMITS.members, "members")
    .optional()
    .describe("Attributes and methods of the object."),
});

/** The text around the cursor, and the rest of the notebook. */
export const completeRequest = fields({
  prefix: anyText().describe("The cell's text before the cursor; at most 256 KB."),
  suffix: anyText()
    .optional()
    .describe("The cell's text after the cursor; at most 256 KB. A completion does not repeat it."),
  k: integer(1, LIMITS.completions).default(DEFAULTS.completions).describe("How many completions to return at most."),
  maxLines: integer(1, LIMITS.completionLines)
    .default(DEFAULTS.completionLines)
    .describe("How many lines a completion has at most."),
  minConfidence: share()
    .optional()
    .describe(
      "If the first completion has a lower confidence, nothing is returned. Alternatives may have a lower confidence. Default: 0.02. For ghost text, use 0.4: it is then right in most cases.",
    ),
  fallbackConfidence: share()
    .optional()
    .describe(
      "A lower limit that applies if no completion reaches `minConfidence`, for example to show completions beside the text. Not set by default.",
    ),
  context: fields({
    before: list(anyText(), LIMITS.cells, "strings").optional().describe("The code cells above, the nearest last."),
    after: list(anyText(), LIMITS.cells, "strings").optional().describe("The code cells below, the nearest first."),
    markdown: shortText(LIMITS.markdownCharacters).optional().describe("The Markdown above."),
    variables: named(
      z.union([nameText(LIMITS.nameCharacters), variableFacts]),
      "variable names with their types, or with type, columns and members",
    )
      .optional()
      .describe("Names of a live kernel's variables with the names of their types, or with columns and members."),
  })
    .optional()
    .describe("The rest of the notebook, and the variables of a live kernel."),
});
export type CompletionRequest = z.output<typeof completeRequest>;
/** The options of a request, without the prefix. */
export type CompletionOptions = Omit<z.input<typeof completeRequest>, "prefix">;

export const searchRequest = fields({
  text: shortText(LIMITS.searchCharacters).describe(
    "Plain words or code to search for. Empty, with a label: the most typical cells of that label.",
  ),
  k: integer(1, LIMITS.k).default(DEFAULTS.searchHits).describe("Maximum number of cells."),
  label: anyText().meta({ isLabel: true }).optional().describe("Only cells that have this label."),
  ...scopeFields(),
});
export type SearchRequest = z.output<typeof searchRequest>;

const ipynb = () =>
  z.record(z.string(), z.unknown(), {
    error: ({ input }) => (input === undefined ? "is missing" : "must be a notebook (the JSON of an ipynb file)"),
  });

export const similarRequest = fields({
  notebook: z
    .union([hexId(), ipynb()], {
      error: ({ input }) =>
        input === undefined ? "is missing" : "must be the id of a stored notebook, or the JSON of an ipynb file",
    })
    .describe("The id of a stored notebook, or the JSON of an ipynb file."),
  k: integer(1, LIMITS.k).default(DEFAULTS.similar).describe("How many notebooks to return at most."),
});
export type SimilarRequest = z.output<typeof similarRequest>;

export const labelRequest = z.union([
  fields({
    code: anyText().describe("The code of one cell; at most 256 KB."),
    partial: flag().default(false).describe("Whether the cell is still being typed."),
  }),
  fields({
    notebook: ipynb().describe(
      "A notebook (the JSON of an ipynb file) of at most 5,000 cells with at most 2 MB of code.",
    ),
  }),
]);
export type LabelRequest = z.output<typeof labelRequest>;

export const feedbackRequest = fields({
  recommendation: shortText(64).describe("The `id` of the answer."),
  rank: integer(1, LIMITS.k).describe("The `rank` of the hit."),
  event: choice(EVENTS).describe("The user's action."),
});
export type FeedbackRequest = z.output<typeof feedbackRequest>;

export const notebookName = nameText(LIMITS.nameCharacters);

const pageLimit = queryInteger(1, LIMITS.page, DEFAULTS.page).describe("How many entries to return at most.");

export const listRequest = fields({
  cursor: hexId().optional().describe("The `cursor` of the previous page."),
  limit: pageLimit,
});
export type ListRequest = z.output<typeof listRequest>;

export const occurrencesRequest = fields({
  offset: queryInteger(0, 999_999_999, 0).describe("How many occurrences to skip."),
  limit: pageLimit,
});
export type OccurrencesRequest = z.output<typeof occurrencesRequest>;

export const idRequest = fields({ id: hexId().describe("Hex sha-256.") });

/** The notebook filter of a request; undefined if it has none. */
export function toNotebookFilter({
  sources,
  minVotes,
}: {
  readonly sources?: readonly string[] | undefined;
  readonly minVotes?: number | undefined;
}): NotebookFilter | undefined {
  if (sources === undefined && minVotes === undefined) return undefined;
  return { ...(sources !== undefined && { sources }), ...(minVotes !== undefined && { minVotes }) };
}
