import { RecommenderError } from "../errors.js";
import type { Labelling } from "../label/labeller.js";
import type { LabelFilter, NotebookFilter, VectorStore } from "../store/vector-store.js";
import type { FilterMode } from "./recommendation.js";

/** The label filter of a query; undefined if the mode is `off` or the query has no label. */
export function chooseFilter(labelling: Labelling, mode: FilterMode, label?: string): LabelFilter | undefined {
  if (label !== undefined) return { field: "labels", any: [label], unlabelled: false };
  if (mode === "off" || labelling.primary === null) return undefined;
  if (mode === "strict") return { field: "primary", any: [labelling.primary], unlabelled: false };
  return { field: "labels", any: labelling.possible, unlabelled: true };
}

/** Throws INPUT_INVALID for an unknown label. */
export function checkLabel(label: string | undefined, known: readonly string[]): void {
  if (label === undefined || known.includes(label)) return;
  const message = `${JSON.stringify(label)} is not a label; the labels are ${known.join(", ")}.`;
  throw new RecommenderError("INPUT_INVALID", message, { problems: [{ pointer: "/label", message }] });
}

/** A view of the store that only finds and shows cells of notebooks that pass the filter. */
export function restrictToNotebooks(store: VectorStore, notebooks: NotebookFilter): VectorStore {
  return {
    ...store,
    search: (query, signal) => store.search({ ...query, notebooks }, signal),
    lexical: (query, signal) => store.lexical({ ...query, notebooks }, signal),
    ...(store.pool && { pool: (query, signal) => store.pool!({ ...query, notebooks }, signal) }),
    provenance: (ids, exclude, signal) => store.provenance(ids, { ...exclude, outside: notebooks }, signal),
    nextCells: (ids, exclude, signal) => store.nextCells(ids, { ...exclude, outside: notebooks }, signal),
  };
}
