import { RecommenderError } from "../errors.js";
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

/** INPUT_INVALID for a label that the set does not have. */
export function checkLabel(label: string | undefined, known: readonly string[]): void {
  if (label === undefined || known.includes(label)) return;
  const message = `${JSON.stringify(label)} is not a label; the labels are ${known.join(", ")}.`;
  throw new RecommenderError("INPUT_INVALID", message, { problems: [{ pointer: "/label", message }] });
}
