import { extractCells } from "../../../notebook/extract.js";
import type { NamedNotebook, NotebookCell, NotebookFile } from "../../../notebook/notebook.js";
import type { CursorQuery, TargetQuery } from "../../target.js";

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
  cursor: ["number", "prefix", "suffix", "k", "context.before", "context.markdown"],
} as const satisfies Record<Each | "query" | "cursor", readonly string[]>;

type Filled<Kind extends keyof typeof PLACEHOLDERS> = Record<(typeof PLACEHOLDERS)[Kind][number], unknown>;

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

export function cursorValues({ prefix, suffix = "", k, context }: CursorQuery, number: number): Filled<"cursor"> {
  return { number, prefix, suffix, k, "context.before": context.before, "context.markdown": context.markdown };
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

/** A notebook as Jupyter writes it: nbformat 4.4, sources as lists of lines. */
export function toIpynb({ cells }: Pick<NotebookFile, "cells">): object {
  return {
    cells: cells.map(toCell),
    metadata: {
      kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
      language_info: { name: "python" },
    },
    nbformat: 4,
    nbformat_minor: 4,
  };
}

/** The cells above, their Markdown, and the cell that is typed at the end: what a user of the target would have open. */
export function toQueryCells({ code, context }: TargetQuery): NotebookCell[] {
  const above = (context?.before ?? []).map((source) => ({ type: "code" as const, source }));
  const markdown = context?.markdown ? [{ type: "markdown" as const, source: context.markdown }] : [];
  return [...above, ...markdown, { type: "code" as const, source: code }].map((cell, index) => ({ ...cell, index }));
}

function toCell({ type, source }: NotebookCell): object {
  const lines = source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (type === "code") return { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: lines };
  return { cell_type: type === "markdown" ? "markdown" : "raw", metadata: {}, source: lines };
}
