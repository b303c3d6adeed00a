import type { ParsedNotebook } from "./notebook.js";

/** More cells than this in one file are no notebook that anybody wrote; their places alone would fill the memory. */
export const MOST_CELLS = 50_000;

export function rejectCells(): ParsedNotebook {
  const reason = `it cannot be a notebook: it holds more than ${MOST_CELLS.toLocaleString("en")} cells`;
  return { rejected: { kind: "not-a-notebook", reason } };
}
