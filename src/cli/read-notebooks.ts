import { RecommenderError } from "../errors.js";
import type { NamedNotebook } from "../ingest/ingest.js";
import { listNotebooks, readNotebookFile } from "../notebook/files.js";
import type { Output } from "./output.js";

/** All notebooks at and below the paths, in memory; files that are none are counted in a note. */
export function readNotebooks(paths: readonly string[], output: Output): NamedNotebook[] {
  const files = listNotebooks(paths);
  const notebooks = files.flatMap((file): NamedNotebook[] => {
    const parsed = readNotebookFile(file);
    return "notebook" in parsed ? [{ name: file.name, notebook: parsed.notebook }] : [];
  });
  if (notebooks.length === 0) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  if (notebooks.length < files.length)
    output.note(`${files.length - notebooks.length} files are no Python notebooks, and left out.`);
  return notebooks;
}
