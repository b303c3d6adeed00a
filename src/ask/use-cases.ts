import type { CompleteAnswer } from "../complete/completion-request.js";
import type { Config } from "../config.js";
import { type ErrorCode, RecommenderError } from "../errors.js";
import { notebookId } from "../notebook/extract.js";
import type { ExpectedLine } from "../recommend/expected-lines.js";
import { checkLabel } from "../recommend/filters.js";
import type { Mode, RecommendAnswer } from "../recommend/recommendation.js";
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
import { createFeedback, type ShownAnswer } from "./feedback.js";
import { COMPLETION_BYTES, checkBefore, checkCode, endOfCode, nearestCells, startOfCode } from "./limits.js";
import {
  type AskRequest,
  type CompletionRequest,
  type LabelRequest,
  type ListRequest,
  type OccurrencesRequest,
  type SearchRequest,
  toNotebookFilter,
} from "./requests.js";
import { createSearch } from "./search.js";
import { createSimilar } from "./similar.js";
import { createUpload } from "./upload.js";

/** The work behind the use cases. Inputs and outputs are plain data, so that any thread can run it. */
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
    /** For a notebook that has been read already. */
    findSimilarTo: similar.find,
    /** Takes a request, or the bytes of a large one. */
    label: (request: LabelRequest | Uint8Array, signal?: AbortSignal): Promise<LabelAnswer> =>
      request instanceof Uint8Array
        ? deps.runOnWorker("label", request, { signal })
        : answerLabels(labeller, request, signal),
    upload: createUpload(deps),
    listNotebooks: (request: ListRequest) => listNotebooks(store, request),
    getNotebook: (id: string, signal?: AbortSignal) => getNotebook(store, id, signal),
    /** Where secrets are masked or refused, files are not shown: only their code was checked. */
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

/** Which threads run an operation. A probe skips the queue, so that monitoring does not wait for users' requests. */
export type Place = "reader" | "probe" | "writer" | "completer";

/** Where the service runs each operation. */
export const PLACES = {
  recommend: "reader",
  recommendJson: "reader",
  complete: "completer",
  search: "reader",
  findSimilar: "reader",
  findSimilarTo: "reader",
  label: "reader",
  listNotebooks: "reader",
  getNotebook: "reader",
  getMarkdown: "reader",
  findNotebooks: "reader",
  getCell: "reader",
  countLabels: "reader",
  listSources: "reader",
  stats: "probe",
  ready: "probe",
  upload: "writer",
  deleteNotebook: "writer",
  deleteNotebooks: "writer",
  forgetSource: "writer",
  clear: "writer",
} satisfies Record<keyof Operations, Place>;

/** A serialized answer, and what the sender has to know about it. */
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

/** The use cases that REST, the command line and agents call. */
export type UseCases = ReturnType<typeof createUseCases>;

interface UseCasesDeps {
  readonly operations: Operations;
  /** The label set. */
  readonly labels: readonly string[];
  /** The embedder's id. */
  readonly embedder: string;
  readonly config: Pick<Config, "feedback" | "data" | "preset">;
}

/** The use cases for one process. Only here are equal requests coalesced and answers remembered for feedback. */
export function createUseCases({ operations, labels, embedder, config }: UseCasesDeps) {
  const feedback = createFeedback({ isOn: config.feedback, folder: config.data, embedder });
  const expect = createExpect(operations.complete, presetDefaults(config.preset).mode);
  return {
    ...operations,
    labels,
    feedback,
    recommend: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await operations.recommend(await expect(request, signal), signal);
      feedback.remember(answer);
      return answer;
    }),
    recommendJson: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await operations.recommendJson(await expect(request, signal), signal);
      feedback.remember(answer.shown);
      return answer;
    }),
    async complete(request: CompletionRequest, signal?: AbortSignal): Promise<CompleteAnswer> {
      const answer = await operations.complete(request, signal);
      const shown = answer.completions.map(({ confidence }, at) => ({ rank: at + 1, confidence, labels: [] }));
      feedback.remember({ id: answer.id, mode: "cursor", recommendations: shown });
      return answer;
    },
    search: coalesce((request: SearchRequest, signal: AbortSignal) => operations.search(request, signal)),
    async ready(onProblem: (error: RecommenderError) => void = () => {}): Promise<Readiness> {
      const { checks, problems } = await operations.ready();
      for (const { code, message } of problems) onProblem(new RecommenderError(code, message));
      return checks;
    },
  };
}

/** `ok` or an error code. Messages are left out: they may name folders and addresses. */
interface Readiness {
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
    // Tried once: a loaded model keeps working, and a large one is too slow for every probe.
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

/** Work that several callers wait for. */
interface Shared<T> {
  readonly promise: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Runs the work once for equal requests that arrive at the same time. It is aborted when no caller waits any more; a
 * caller that aborts earlier gets the reason of its own signal.
 */
export function coalesce<R, T>(
  work: (request: R, signal: AbortSignal) => Promise<T>,
): (request: R, signal?: AbortSignal) => Promise<T> {
  const running = new Map<string, Shared<T>>();

  const join = (request: R): [string, Shared<T>] => {
    const key = JSON.stringify(request);
    const found = running.get(key);
    if (found !== undefined) return [key, found];
    const stop = new AbortController();
    const shared = { promise: work(request, stop.signal), stop, waiting: 0 };
    running.set(key, shared);
    const forget = () => {
      if (running.get(key) === shared) running.delete(key);
    };
    shared.promise.then(forget, forget);
    return [key, shared];
  };

  return async (request, signal) => {
    signal?.throwIfAborted();
    const [key, shared] = join(request);
    shared.waiting += 1;
    let onAbort = () => {};
    const gone = new Promise<null>((resolve) => {
      onAbort = () => resolve(null);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const answer = await Promise.race([shared.promise.then((value) => ({ value })), gone]);
      if (answer !== null) return answer.value;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      shared.waiting -= 1;
    }
    if (shared.waiting === 0) {
      running.delete(key);
      shared.stop.abort();
      shared.promise.catch(() => {});
    }
    throw signal!.reason;
  };
}

/** A request with what the next cell probably starts with. */
export type ExpectingRequest = AskRequest & { readonly expected?: readonly ExpectedLine[] };

const EXPECTED_LINES = 5;

/** Asks the completer what an empty cell starts with, so that the recommender looks for cells that do. */
function createExpect(complete: Operations["complete"], defaultMode: Mode) {
  return async (request: AskRequest, signal: AbortSignal): Promise<ExpectingRequest> => {
    const { mode = defaultMode, context } = request;
    const isNext = "code" in request && request.code.trim() === "" && (mode === "next" || mode === "auto");
    if (!isNext || context?.before === undefined || context.before.length === 0) return request;
    const { before, markdown, variables } = context;
    const around = { before, ...(markdown !== undefined && { markdown }), ...(variables && { variables }) };
    const { completions } = await complete({ prefix: "", k: EXPECTED_LINES, maxLines: 1, context: around }, signal);
    const lines = completions.filter(({ kind }) => kind !== "token");
    return { ...request, expected: lines.map(({ text, confidence }) => ({ text, confidence })) };
  };
}

type Ask = (request: ExpectingRequest, signal?: AbortSignal) => Promise<RecommendAnswer>;

/** The main use case: which stored cells help with this one? */
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
