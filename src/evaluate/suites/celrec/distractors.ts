import { createHash } from "node:crypto";
import { cellId } from "../../../cells/extract.js";
import { strip } from "../../../clean/strip.js";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import { listNotebooks, readNotebookFile } from "../../../notebook/files.js";

export interface Distractors {
  readonly notebooks: readonly NamedNotebook[];
  /** Distinct cells. */
  readonly cells: number;
  /** Cells left out because their cleaned text is forbidden. */
  readonly dropped: number;
  /** Hex sha-256 over the ids of the cells. */
  readonly hash: string;
}

/** Real cells to hide the mutants among. Files that are no notebooks are passed over; cells without code do not count. */
export function readDistractors(paths: readonly string[], forbidden: ReadonlySet<string>): Distractors {
  const ids = new Set<string>();
  const dropped = new Set<string>();
  const notebooks = listNotebooks(paths).flatMap((file): NamedNotebook[] => {
    const parsed = readNotebookFile(file);
    if ("rejected" in parsed) return [];
    const cells = parsed.notebook.cells.filter(({ type, source }) => {
      if (type !== "code") return false;
      const clean = strip(source).text;
      if (forbidden.has(clean)) dropped.add(cellId(source));
      else if (clean !== "") ids.add(cellId(source));
      return clean !== "" && !forbidden.has(clean);
    });
    return cells.length > 0 ? [{ name: `distractors/${file.name}`, notebook: { cells } }] : [];
  });
  const hash = createHash("sha256")
    .update([...ids].sort().join("\n"))
    .digest("hex");
  return { notebooks, cells: ids.size, dropped: dropped.size, hash };
}
