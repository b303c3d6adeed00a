import type { NotebookCell, NotebookFile } from "../../../notebook/notebook.js";
import type { TargetQuery } from "../../target.js";

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
