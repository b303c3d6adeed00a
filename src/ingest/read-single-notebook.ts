import { RecommenderError } from "../errors.js";
import type { Found } from "../notebook/corpus/entry.js";
import { openPaths } from "../notebook/corpus/open-paths.js";
import type { NotebookCode } from "./read-content.js";
import { idOf } from "./screen.js";
import type { Workers } from "./workers/workers.js";

/** A notebook on disk. It may be stored under its id, or, in a source with a name, under another one with the same location. */
interface SingleNotebook {
  readonly id: string;
  readonly location: string | undefined;
  readonly code: NotebookCode;
}

/** Reads one notebook. NOT_FOUND or NOT_A_NOTEBOOK if there is none. */
export async function readSingleNotebook(path: string, workers: Pick<Workers, "read">): Promise<SingleNotebook> {
  const { corpus } = await openPaths([path]);
  const all: Found[] = [];
  for await (const found of corpus) {
    all.push(found);
    if (all.length > 1)
      throw new RecommenderError("INPUT_INVALID", `${path} holds more than one notebook; name one of them.`);
  }
  const [found] = all;
  if (found === undefined) throw new RecommenderError("NOT_FOUND", `There is no notebook in ${path}.`);
  const content = "rejected" in found ? found : await found.read();
  const read = "rejected" in content ? content : await workers.read(content);
  const location = "rejected" in found ? undefined : found.facts.location;
  if ("code" in read) return { id: idOf(found), location, code: read.code };
  throw new RecommenderError("NOT_A_NOTEBOOK", `${path}: ${read.rejected.reason}`);
}
