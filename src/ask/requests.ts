import { z } from "zod";
import { FILTERS, MODES } from "../recommend/recommendation.js";
import type { NotebookFilter } from "../store/vector-store.js";
import { EVENTS } from "./answers.js";
import {
  anyText,
  choice,
  digits,
  fields,
  flag,
  hexId,
  integer,
  list,
  named,
  nameText,
  share,
  shortText,
} from "./fields.js";
import { DEFAULTS, LIMITS } from "./limits.js";

/** What the notebooks must be that the cells stand in. */
const among = () => ({
  sources: list(nameText(LIMITS.nameCharacters), LIMITS.sources, "names of sources")
    .optional()
    .describe("Only cells that stand in a notebook of these sources; never widened."),
  minVotes: integer(0, 1_000_000_000)
    .optional()
    .describe("Only cells that stand in a notebook with at least so many votes; never widened."),
});

const settings = {
  k: integer(1, LIMITS.k).default(DEFAULTS.k).describe("How many cells to return at most."),
  label: anyText().meta({ isLabel: true }).optional().describe("Only cells that have this label."),
  filter: choice(FILTERS)
    .optional()
    .describe(
      "What the labels of the query leave: `strict` the cells of the same primary label, `soft` all that the cell may still become, `off` everything. `soft` unless told; `strict` where the service runs the paper's preset.",
    ),
  mode: choice(MODES)
    .optional()
    .describe(
      "`auto`, the default: `complete` where something is typed, else `next`. `similar`: cells like this one. `complete`: what this cell is about to become. `next`: what follows these cells.",
    ),
  ...among(),
  diversity: share()
    .optional()
    .describe("How much being unlike the hits before it counts; what suits the mode unless told."),
  minConfidence: share()
    .optional()
    .describe("Hits with a lower confidence are left out; 0.1 in `auto`, else 0 unless told."),
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
    .describe("What stands above the cell."),
  explain: flag().optional().describe("Whether each hit says what every feature added to its score."),
  collapse: flag()
    .optional()
    .describe("Whether only the best of several cells whose cleaned text is equal is shown. True unless told."),
  exclude: fields({
    notebooks: list(
      z.union([hexId(), fields({ source: nameText(LIMITS.nameCharacters), path: nameText(LIMITS.nameCharacters) })]),
      LIMITS.excluded,
      "notebooks",
    ),
  })
    .optional()
    .describe("Notebooks whose occurrences do not count, by id or by source and path."),
};

/** What is typed, or the position of a stored cell. */
export const askRequest = z.union([
  fields({
    code: anyText().describe("The cell as far as it is typed: its text before the cursor; at most 256 KB."),
    suffix: anyText()
      .optional()
      .describe("The cell's text after the cursor; at most 256 KB. Nothing that it says already is inserted."),
    ...settings,
  }),
  fields({
    notebook: hexId().describe("The id of a stored notebook."),
    cellIndex: integer(0, 1_000_000).describe("The index of one of its code cells."),
    ...settings,
  }),
]);
export type AskRequest = z.output<typeof askRequest>;
/** What may be said beside the code. */
export type AskOptions = Omit<Extract<z.input<typeof askRequest>, { code: string }>, "code">;

const variableFacts = fields({
  type: nameText(LIMITS.nameCharacters).describe("The name of its type."),
  columns: list(shortText(LIMITS.nameCharacters), LIMITS.members, "columns").optional().describe("Columns of a frame."),
  members: list(shortText(LIMITS.nameCharacters), LIMITS.members, "members")
    .optional()
    .describe("Attributes and methods of the object."),
});

/** What stands before and after the cursor. */
export const completeRequest = fields({
  prefix: anyText().describe("The cell's text before the cursor; at most 256 KB."),
  suffix: anyText()
    .optional()
    .describe("The cell's text after the cursor; at most 256 KB. Nothing that it says already is inserted."),
  k: integer(1, LIMITS.completions).default(DEFAULTS.completions).describe("How many completions to return at most."),
  maxLines: integer(1, LIMITS.completionLines)
    .default(DEFAULTS.completionLines)
    .describe("How many lines a completion has at most."),
  minConfidence: share()
    .optional()
    .describe("Completions with a lower confidence are left out. By default what is worth showing."),
  context: fields({
    before: list(anyText(), LIMITS.cells, "strings").optional().describe("The code cells above, the nearest last."),
    after: list(anyText(), LIMITS.cells, "strings").optional().describe("The code cells below, the nearest first."),
    markdown: shortText(LIMITS.markdownCharacters).optional().describe("The Markdown above."),
    variables: named(
      z.union([nameText(LIMITS.nameCharacters), variableFacts]),
      "names of variables with their types or with what is known of them",
    )
      .optional()
      .describe("Names of a live kernel's variables with the names of their types, or with columns and members."),
  })
    .optional()
    .describe("The rest of the notebook, and what a live kernel knows."),
});
export type CompletionRequest = z.output<typeof completeRequest>;
/** What may be said beside the text before the cursor. */
export type CompletionOptions = Omit<z.input<typeof completeRequest>, "prefix">;

export const searchRequest = fields({
  text: shortText(LIMITS.searchCharacters).describe(
    "What the cells are about, in plain words or code; empty for the most typical cells of a label.",
  ),
  k: integer(1, LIMITS.k).default(DEFAULTS.found).describe("How many cells to return at most."),
  label: anyText().meta({ isLabel: true }).optional().describe("Only cells that have this label."),
  ...among(),
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
  event: choice(EVENTS).describe("What happened to it."),
});
export type FeedbackRequest = z.output<typeof feedbackRequest>;

export const notebookName = nameText(LIMITS.nameCharacters);

const limit = digits(1, LIMITS.page, DEFAULTS.page).describe("How many entries to return at most.");

export const listRequest = fields({
  cursor: hexId().optional().describe("The `cursor` of the page before."),
  limit,
});
export type ListRequest = z.output<typeof listRequest>;

export const occurrencesRequest = fields({
  offset: digits(0, 999_999_999, 0).describe("How many occurrences to pass over."),
  limit,
});
export type OccurrencesRequest = z.output<typeof occurrencesRequest>;

export const idRequest = fields({ id: hexId().describe("Hex sha-256.") });
export const nothing = fields({});

/** What a request says of the notebooks that cells may stand in; undefined where that is nothing. */
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
