import { type ErrorCode, RecommenderError } from "../errors.js";
import type { LabelAnswer } from "./answers.js";
import type { AskDeps } from "./deps.js";
import type { ExpectingRequest, JsonAnswer } from "./find-cells.js";
import type { LabelRequest, ListRequest, OccurrencesRequest } from "./requests.js";

/** Which threads run an operation. A probe skips the queue, so that monitoring does not wait for users' requests. */
export type OperationThread = "reader" | "probe" | "writer" | "completer";

const onThread = <Run>(thread: OperationThread, make: (deps: AskDeps) => Promise<Run>) => ({ thread, make });
const loadContents = () => import("./contents.js");

/**
 * The operations of the use cases: the thread that runs each in a service, and how it is made. The code behind a row is
 * loaded by the first call, so the main thread routes requests by this table without it. Inputs and outputs are plain data,
 * so any thread can run an operation.
 */
export const OPERATIONS = {
  recommend: onThread("reader", async (deps) => (await import("./find-cells.js")).createRecommend(deps)),
  /** Like `recommend`, but as the bytes of a JSON document, which a thread can transfer without a copy. */
  recommendJson: onThread("reader", async (deps) => {
    const { createRecommend, toJson } = await import("./find-cells.js");
    const recommend = createRecommend(deps);
    return async (request: ExpectingRequest, signal?: AbortSignal): Promise<JsonAnswer> =>
      toJson(await recommend(request, signal));
  }),
  complete: onThread("completer", async (deps) => (await import("./complete.js")).createComplete(deps)),
  search: onThread("reader", async (deps) => (await import("./find-cells.js")).createSearch(deps)),
  findSimilar: onThread("reader", async (deps) => (await import("./similar.js")).createSimilar(deps).ask),
  /** Like `findSimilar`, but for a notebook that has already been read. */
  findSimilarTo: onThread("reader", async (deps) => (await import("./similar.js")).createSimilar(deps).find),
  /** Takes a request, or the bytes of a large one. */
  label: onThread("reader", async ({ labeller, runOnWorker }) => {
    const { answerLabels } = await import("./answer-labels.js");
    return (request: LabelRequest | Uint8Array, signal?: AbortSignal): Promise<LabelAnswer> =>
      request instanceof Uint8Array
        ? runOnWorker("label", request, { signal })
        : answerLabels(labeller, request, signal);
  }),
  upload: onThread("writer", async (deps) => (await import("./upload.js")).createUpload(deps)),
  listNotebooks: onThread("reader", async ({ store }) => {
    const { listNotebooks } = await loadContents();
    return (request: ListRequest) => listNotebooks(store, request);
  }),
  getNotebook: onThread("reader", async ({ store }) => {
    const { getNotebook } = await loadContents();
    return (id: string, signal?: AbortSignal) => getNotebook(store, id, signal);
  }),
  /** If secrets are masked or refused, Markdown is not shown, because only the code was checked. */
  getMarkdown: onThread("reader", async ({ store, config }) => {
    const { getMarkdown } = await loadContents();
    return async (id: string) => (config.secrets === "report" ? getMarkdown(store, id) : { cells: [] });
  }),
  findNotebooks: onThread("reader", async ({ store }) => {
    const { findNotebooks } = await loadContents();
    return (given: string) => findNotebooks(store, given);
  }),
  deleteNotebook: onThread("writer", async ({ store }) => {
    const { deleteNotebook } = await loadContents();
    return (id: string) => deleteNotebook(store, id);
  }),
  deleteNotebooks: onThread("writer", async ({ store }) => {
    const { deleteNotebooks } = await loadContents();
    return (names: readonly string[]) => deleteNotebooks(store, names);
  }),
  getCell: onThread("reader", async ({ store }) => {
    const { getCell } = await loadContents();
    return (id: string, page: OccurrencesRequest, signal?: AbortSignal) => getCell(store, id, page, signal);
  }),
  listSources: onThread("reader", async ({ store, config }) => {
    const { listSources } = await loadContents();
    return () => listSources(store, config.data);
  }),
  forgetSource: onThread("writer", async ({ store }) => {
    const { forgetSource } = await loadContents();
    return (given: string, signal?: AbortSignal) => forgetSource(store, given, signal);
  }),
  stats: onThread("probe", async (deps) => {
    const { readStats } = await loadContents();
    return () => readStats(deps);
  }),
  countLabels: onThread("reader", async (deps) => {
    const { countLabels } = await loadContents();
    return () => countLabels(deps);
  }),
  clear: onThread("writer", async ({ store }) => {
    return () => store.clear();
  }),
  ready: onThread("probe", async (deps) => createReady(deps)),
};

type OperationTable = typeof OPERATIONS;

export type Operations = { readonly [Name in keyof OperationTable]: Awaited<ReturnType<OperationTable[Name]["make"]>> };

/** The operations on the calling thread. */
export function createOperations(deps: AskDeps): Operations {
  type Operation = (...args: unknown[]) => Promise<unknown>;
  const operations = Object.entries(OPERATIONS).map(([name, { make }]) => {
    let made: Promise<unknown> | null = null;
    const run: Operation = async (...args) => {
      made ??= make(deps);
      return ((await made) as Operation)(...args);
    };
    return [name, run];
  });
  return Object.fromEntries(operations) as Operations;
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
