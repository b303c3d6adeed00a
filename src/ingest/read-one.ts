import { RecommenderError } from "../errors.js";
import { openPaths } from "../notebook/corpus/open-paths.js";
import type { NotebookCode } from "./read-content.js";
import { idOf } from "./screen.js";
import type { Workers } from "./workers/workers.js";

/** The code of one notebook on disk, and the id that it has where it is indexed. NOT_FOUND or NOT_A_NOTEBOOK where there is none. */
export async function readOne(
  path: string,
  workers: Pick<Workers, "read">,
): Promise<{ readonly id: string; readonly code: NotebookCode }> {
  const { corpus } = await openPaths([path]);
  for await (const found of corpus) {
    const content = "rejected" in found ? found : await found.read();
    const read = "rejected" in content ? content : await workers.read(content);
    if ("code" in read) return { id: idOf(found), code: read.code };
    throw new RecommenderError("NOT_A_NOTEBOOK", `${path}: ${read.rejected.reason}`);
  }
  throw new RecommenderError("NOT_FOUND", `There is no notebook in ${path}.`);
}
