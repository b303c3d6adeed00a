import { notebookId } from "../notebook/extract.js";
import { checkLabel } from "../recommend/filters.js";
import type { RecommendAnswer } from "../recommend/recommendation.js";
import { presetDefaults } from "../recommend/request.js";
import { readStoredQuery } from "../recommend/stored-query.js";
import type { AskDeps } from "./deps.js";
import { COMPLETION_BYTES, checkBefore, checkCode, endOfCode, nearestCells, startOfCode } from "./limits.js";
import { type AskRequest, toNotebookFilter } from "./requests.js";

export type Ask = (request: AskRequest, signal?: AbortSignal) => Promise<RecommendAnswer>;

/** The main use case: which stored cells help with this one? */
export function createAsk({ config, labeller, store, recommend }: AskDeps): Ask {
  const defaults = presetDefaults(config.preset);
  return async (request, signal) => {
    checkLabel(request.label, labeller.labels);
    checkBefore(request.context?.before ?? []);
    const suffix = "code" in request ? request.suffix : undefined;
    if ("code" in request) checkCode(request.code);
    if (suffix !== undefined) checkCode(suffix, "The suffix");
    const query =
      "code" in request
        ? { code: request.code, context: { before: [] }, exclude: {} }
        : await readStoredQuery(store, request.notebook, request.cellIndex);
    const { before = query.context.before, markdown = "", variables } = request.context ?? {};
    return recommend({
      code: endOfCode(query.code),
      suffix: suffix === undefined ? undefined : startOfCode(suffix, COMPLETION_BYTES.suffix),
      k: request.k,
      label: request.label,
      notebooks: toNotebookFilter(request),
      filter: request.filter ?? defaults.filter,
      mode: request.mode ?? defaults.mode,
      collapse: request.collapse ?? defaults.collapse,
      diversity: request.diversity,
      minConfidence: request.minConfidence,
      context: { before: nearestCells(before), markdown, variables },
      exclude: { ...query.exclude, ...(request.exclude && { notebooks: request.exclude.notebooks.map(toId) }) },
      explain: request.explain,
      signal,
    });
  };
}

function toId(notebook: string | { readonly source: string; readonly path: string }): string {
  return typeof notebook === "string" ? notebook : notebookId(notebook.path, notebook.source);
}
