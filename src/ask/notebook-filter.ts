import type { NotebookFilter } from "../store/vector-store.js";

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
