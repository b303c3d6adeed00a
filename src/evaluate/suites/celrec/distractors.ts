import { createHash } from "node:crypto";
import type { NamedNotebook } from "../../../ingest/ingest.js";
import { createUniqueNames, readNotebooks } from "../../../notebook/corpus/read-notebooks.js";
import { cellId } from "../../../notebook/extract.js";
import { strip } from "../../../python/strip.js";

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
export async function readDistractors(paths: readonly string[], forbidden: ReadonlySet<string>): Promise<Distractors> {
  const ids = new Set<string>();
  const dropped = new Set<string>();
  const nameOf = createUniqueNames();
  const notebooks: NamedNotebook[] = [];
  for await (const entry of readNotebooks(paths)) {
    if ("rejected" in entry.parsed) continue;
    const cells = entry.parsed.notebook.cells.filter(({ type, source }) => {
      if (type !== "code") return false;
      const clean = strip(source).text;
      if (forbidden.has(clean)) dropped.add(cellId(source));
      else if (clean !== "") ids.add(cellId(source));
      return clean !== "" && !forbidden.has(clean);
    });
    if (cells.length > 0) notebooks.push({ name: `distractors/${nameOf(entry)}`, notebook: { cells } });
  }
  const hash = createHash("sha256")
    .update([...ids].sort().join("\n"))
    .digest("hex");
  return { notebooks, cells: ids.size, dropped: dropped.size, hash };
}
