import { type ErrorCode, RecommenderError } from "../errors.js";
import { notebookId } from "../notebook/extract.js";
import { checkLabel } from "../recommend/filters.js";
import type { ExpectedLine } from "../recommend/query.js";
import type { RecommendAnswer } from "../recommend/recommendation.js";
import { presetDefaults } from "../recommend/request.js";
import { readStoredQuery } from "../recommend/stored-query.js";
import { answerLabels } from "./answer-labels.js";
import type { LabelAnswer } from "./answers.js";
import { createComplete } from "./complete.js";
import {
  countLabels,
  deleteNotebook,
  deleteNotebooks,
  findNotebooks,
  forgetSource,
  getCell,
  getMarkdown,
  getNotebook,
  listNotebooks,
  listSources,
  readStats,
} from "./contents.js";
import type { AskDeps } from "./deps.js";
import type { ShownAnswer } from "./feedback.js";
import { COMPLETION_BYTES, checkBefore, checkCode, endOfCode, nearestCells, startOfCode } from "./limits.js";
import {
  type AskRequest,
  type LabelRequest,
  type ListRequest,
  type OccurrencesRequest,
  toNotebookFilter,
} from "./requests.js";
import { createSearch } from "./search.js";
import { createSimilar } from "./similar.js";
import { createUpload } from "./upload.js";

/** The operations of the use cases. Inputs and outputs are plain data, so any thread can run them. */
export type Operations = ReturnType<typeof createOperations>;

export function createOperations(deps: AskDeps) {
  const { config, store, labeller } = deps;
  const similar = createSimilar(deps);
  const recommend = createAsk(deps);
  return {
    recommend,
    /** Like `recommend`, but as the bytes of a JSON document, which a thread can transfer without a copy. */
    recommendJson: async (request: ExpectingRequest, signal?: AbortSignal): Promise<JsonAnswer> =>
      toJson(await recommend(request, signal)),
    complete: createComplete(deps),
    search: createSearch(deps),
    findSimilar: similar.ask,
    /** Like `findSimilar`, but for a notebook that has already been read. */
    findSimilarTo: similar.find,
    /** Takes a request, or the bytes of a large one. */
    label: (request: LabelRequest | Uint8Array, signal?: AbortSignal): Promise<LabelAnswer> =>
      request instanceof Uint8Array
        ? deps.runOnWorker("label", request, { signal })
        : answerLabels(labeller, request, signal),
    upload: createUpload(deps),
    listNotebooks: (request: ListRequest) => listNotebooks(store, request),
    getNotebook: (id: string, signal?: AbortSignal) => getNotebook(store, id, signal),
    /** If secrets are masked or refused, Markdown is not shown, because only the code was checked. */
    getMarkdown: async (id: string) => (config.secrets === "report" ? getMarkdown(store, id) : { cells: [] }),
    findNotebooks: (given: string) => findNotebooks(store, given),
    deleteNotebook: (id: string) => deleteNotebook(store, id),
    deleteNotebooks: (names: readonly string[]) => deleteNotebooks(store, names),
    getCell: (id: string, page: OccurrencesRequest, signal?: AbortSignal) => getCell(store, id, page, signal),
    listSources: () => listSources(store, config.data),
    forgetSource: (given: string, signal?: AbortSignal) => forgetSource(store, given, signal),
    stats: () => readStats(deps),
    countLabels: () => countLabels(deps),
    clear: () => store.clear(),
    ready: createReady(deps),
  };
}

/** Adds the probable first lines of the next cell to a request. */
export type ExpectingRequest = AskRequest & { readonly expected?: readonly ExpectedLine[] };

type Ask = (request: ExpectingRequest, signal?: AbortSignal) => Promise<RecommendAnswer>;

/** The main use case: recommends stored cells for the current cell. */
function createAsk({ config, labeller, store, recommend }: AskDeps): Ask {
  const defaults = presetDefaults(config.preset);
  return async (request, signal) => {
    checkLabel(request.label, labeller.labels);
    checkBefore(request.context?.before ?? []);
    const suffix = "code" in request ? request.suffix : undefined;
    if ("code" in request) checkCode(request.code);
    if (suffix !== undefined) checkCode(suffix, "The suffix");
    const query =
      "code" in request
        ? { code: request.code, context: { before: undefined }, exclude: {} }
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
      // An empty list of cells above differs from an omitted one.
      context: { before: before && nearestCells(before), markdown, variables },
      exclude: { ...query.exclude, ...(request.exclude && { notebooks: request.exclude.notebooks.map(toId) }) },
      expected: request.expected,
      explain: request.explain,
      signal,
    });
  };
}

function toId(notebook: string | { readonly source: string; readonly path: string }): string {
  return typeof notebook === "string" ? notebook : notebookId(notebook.path, notebook.source);
}

/** A serialized answer with the facts that the sender needs. */
export interface JsonAnswer {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly took: RecommendAnswer["took"];
  readonly shown: ShownAnswer;
}

function toJson(answer: RecommendAnswer): JsonAnswer {
  const { id, mode, took } = answer;
  const recommendations = answer.recommendations.map(({ rank, confidence, labels }) => ({ rank, confidence, labels }));
  return {
    json: new TextEncoder().encode(JSON.stringify(answer)),
    took,
    shown: { id, mode, recommendations },
  };
}

/** `ok` or an error code. Messages are left out: they may name folders and addresses. */
export interface Readiness {
  readonly store: "ok" | ErrorCode;
  readonly model: "ok" | ErrorCode;
}

/** The checks, and the full messages for the log. */
interface ReadinessReport {
  readonly checks: Readiness;
  readonly problems: readonly { readonly code: ErrorCode; readonly message: string }[];
}

/** Whether the store and the model can answer now. */
function createReady({ store, embedder }: Pick<AskDeps, "store" | "embedder">) {
  let modelWorks = false;
  const tryModel = async () => {
    // The model is tried only once: a loaded model keeps working, and a large one would slow down every probe.
    if (!modelWorks) await embedder.embed(["ready"], "query");
    modelWorks = true;
  };
  return async (): Promise<ReadinessReport> => {
    const problems: { code: ErrorCode; message: string }[] = [];
    const probe = (action: () => Promise<void>) =>
      action().then(
        () => "ok" as const,
        (error: unknown) => {
          if (!(error instanceof RecommenderError)) throw error;
          problems.push({ code: error.code, message: error.message });
          return error.code;
        },
      );
    const [storeState, model] = await Promise.all([probe(() => store.ready()), probe(tryModel)]);
    return { checks: { store: storeState, model }, problems };
  };
}
