import { RecommenderError } from "../errors.js";
import { createUniqueNames, readNotebooks as readCorpus } from "../notebook/corpus/read-notebooks.js";
import type { NamedNotebook } from "../notebook/notebook.js";
import type { Output } from "./output.js";

/** All notebooks at and below the paths, in memory; files that are none are counted in a note. */
export async function readNotebooks(paths: readonly string[], output: Output): Promise<NamedNotebook[]> {
  const nameOf = createUniqueNames();
  const notebooks: NamedNotebook[] = [];
  let others = 0;
  for await (const entry of readCorpus(paths)) {
    const { parsed, location } = entry;
    if ("rejected" in parsed) others += 1;
    else notebooks.push({ name: nameOf(entry), notebook: parsed.notebook, ...(location && { facts: { location } }) });
  }
  if (notebooks.length === 0) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${paths.join(", ")}.`);
  if (others > 0) output.note(`${others} files are no Python notebooks, and left out.`);
  return notebooks;
}
