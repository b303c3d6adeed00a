import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-lines.js";

/** A cell that somebody labelled; no labels is an answer, too. */
export interface TrueCell {
  readonly id: string;
  /** Cells of one notebook are alike. A cell that names none counts as a notebook of its own. */
  readonly notebook: string;
  readonly code: string;
  readonly labels: readonly string[];
}

/** Other fields (licence, origin, ...) are nobody's business here. */
const lineSchema = z.object({
  source: z.string(),
  label: z.array(z.string().min(1)),
  notebook: z.string().nullish(),
  cell_index: z.int().min(0).nullish(),
});

/** How the labelled data writes that a cell has no label. */
const NONE = "None";

/** The cells of a JSON-lines file of `{source, label, notebook?, cell_index?}`; INPUT_INVALID with the line of a bad one. */
export function readLabelTruth(path: string): TrueCell[] {
  const ids = new Set<string>();
  const cells = readJsonLines(path, "labelled cells", lineSchema).map(({ line, value }): TrueCell => {
    const { source, label, notebook, cell_index: index } = value;
    const where = `line ${line}`;
    const name = notebook == null ? where : `${notebook}${index == null ? `, ${where}` : `:${index}`}`;
    // Two people may have labelled the same cell.
    const id = ids.has(name) ? `${name} (${where})` : name;
    ids.add(id);
    const labels = [...new Set(label)].filter((one) => one !== NONE);
    return { id, notebook: notebook ?? where, code: normalizeSource(source), labels };
  });
  if (cells.length > 0) return cells;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${path} holds no labelled cells; a line is {"source": "...", "label": [...]}`,
  );
}
