import { LIMITS } from "../../ask/limits.js";
import { fields, list, nameText } from "../../ask/parse-input.js";
import { notebookName } from "../../ask/requests.js";
import { RecommenderError } from "../../errors.js";
import { resolveNotebook } from "../addresses.js";
import type { Backend } from "../backend.js";
import { quoteName, shortId } from "../show-cells.js";
import { defineTool } from "../tool.js";

export const forgetNotebooks = defineTool({
  name: "forget_notebooks",
  description: "Removes notebooks, or a source, from the index, not the disk. Only if the user asks.",
  scope: "write",
  isDestructive: true,
  input: fields({
    notebooks: list(nameText(4_096), LIMITS.files, "ids or names").optional().describe("Ids or paths."),
    source: notebookName.optional().describe(""),
  }),
  async answer({ notebooks, source }, { backend, signal }) {
    if ((notebooks === undefined) === (source === undefined))
      throw new RecommenderError("INPUT_INVALID", "Give exactly one of notebooks, source.");
    if (source !== undefined) {
      const { sources } = await backend.listSources();
      if (sources.every((each) => each.source !== source))
        throw new RecommenderError("NOT_FOUND", `There is no source ${quoteName(source)}; index_status lists them.`);
      return describe((await backend.forgetSource(source, signal)).removed);
    }
    // All names are resolved before the first removal, so a wrong name changes nothing.
    const ids = new Set<string>();
    for (const name of notebooks!) ids.add(await find(backend, name, signal));
    for (const id of ids) await backend.deleteNotebook(id);
    return describe(ids.size);
  },
});

function describe(removed: number): string {
  return `${removed} ${removed === 1 ? "notebook" : "notebooks"} removed from the index.`;
}

const ID = /^[0-9a-f]{8,64}$/;
const PAGE = 1_000;

/** The id of a notebook by its id, its path on this machine, or its path in its source. */
async function find(backend: Backend, given: string, signal: AbortSignal): Promise<string> {
  if (ID.test(given)) return resolveNotebook(backend, given);
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    signal.throwIfAborted();
    const page = await backend.listNotebooks({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const { id, source, name } of page.notebooks)
      if (given === name || given === `${source}/${name}`) found.push(id);
    if (page.cursor === null) break;
    cursor = page.cursor;
  }
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new RecommenderError("NOT_FOUND", `${quoteName(given)} is not in the index; nothing was removed.`);
  throw new RecommenderError(
    "INPUT_INVALID",
    `${quoteName(given)} is in ${found.length} sources; nothing was removed. Choose by id: ${found.map(shortId).join(", ")}.`,
  );
}
