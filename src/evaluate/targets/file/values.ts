import type { NamedNotebook } from "../../../ingest/ingest.js";
import { extractCells } from "../../../notebook/extract.js";
import type { TargetQuery } from "../../target.js";
import { toIpynb, toQueryCells } from "./ipynb.js";

export type Each = "notebook" | "cell" | "batch";

/** The placeholders that a list of steps can use beside `port`, `env.NAME` and `saved.NAME`. */
export const PLACEHOLDERS = {
  notebook: ["number", "name", "notebook"],
  cell: ["number", "name", "index", "code"],
  batch: ["number", "notebooks", "cells", "codes"],
  query: [
    "number",
    "name",
    "index",
    "notebook",
    "code",
    "k",
    "context.before",
    "context.markdown",
    "context.variables",
  ],
} as const satisfies Record<Each | "query", readonly string[]>;

type Filled<Kind extends Each | "query"> = Record<(typeof PLACEHOLDERS)[Kind][number], unknown>;

/** What each round of the upload's steps is about; `first` is the number of the first round. */
export function uploadRounds(
  each: Each,
  notebooks: readonly NamedNotebook[],
  first: number,
): Readonly<Record<string, unknown>>[] {
  const rounds = { notebook: notebookRounds, cell: cellRounds, batch: batchRounds } satisfies Record<Each, unknown>;
  return rounds[each](notebooks).map((round, at) => ({ ...round, number: first + at }));
}

export function queryValues(query: TargetQuery, number: number): Filled<"query"> {
  const cells = toQueryCells(query);
  return {
    number,
    name: `query-${number}.ipynb`,
    index: cells.length - 1,
    notebook: toIpynb({ cells }),
    code: query.code,
    k: query.k,
    "context.before": query.context?.before ?? [],
    "context.markdown": query.context?.markdown ?? "",
    "context.variables": query.context?.variables ?? {},
  };
}

function notebookRounds(notebooks: readonly NamedNotebook[]): Omit<Filled<"notebook">, "number">[] {
  return notebooks.map(({ name, notebook }) => ({ name, notebook: toIpynb(notebook) }));
}

function cellRounds(notebooks: readonly NamedNotebook[]): Omit<Filled<"cell">, "number">[] {
  return notebooks.flatMap(({ name, notebook }) =>
    extractCells(notebook).map(({ cellIndex, code }) => ({ name, index: cellIndex, code })),
  );
}

function batchRounds(notebooks: readonly NamedNotebook[]): Omit<Filled<"batch">, "number">[] {
  const cells = cellRounds(notebooks);
  return [{ notebooks: notebookRounds(notebooks), cells, codes: cells.map(({ code }) => code) }];
}
