import type { Labelling } from "../label/labeller.js";
import type { LabelFilter } from "../store/vector-store.js";

/** `strict` is the paper's: equal primary labels. `soft` lets through all that the cell may still become. */
export type FilterMode = "strict" | "soft" | "off";

/** What the labels of a query leave of the index; undefined leaves everything, as for a query without a label. */
export function chooseFilter(labelling: Labelling, mode: FilterMode, label?: string): LabelFilter | undefined {
  if (label !== undefined) return { field: "labels", any: [label], unlabelled: false };
  if (mode === "off" || labelling.primary === null) return undefined;
  if (mode === "strict") return { field: "primary", any: [labelling.primary], unlabelled: false };
  return { field: "labels", any: labelling.possible, unlabelled: true };
}
