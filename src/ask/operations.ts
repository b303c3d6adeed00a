import { type ErrorCode, RecommenderError } from "../errors.js";
import type { LabelAnswer } from "./answers.js";
import type { AskDeps } from "./deps.js";
import type { ExpectingRequest, JsonAnswer } from "./find-cells.js";
import type { LabelRequest, ListRequest, OccurrencesRequest } from "./requests.js";

/** Which threads run an operation. A probe skips the queue, so that monitoring does not wait for users' requests. */
export type OperationThread = "reader" | "probe" | "writer" | "completer";

const on = <Run>(thread: OperationThread, make: (deps: AskDeps) => Promise<Run>) => ({ thread, make });
const contents = () => import("./contents.js");

/**
 * The operations of the use cases: the thread that runs each in a service, and how it is made. The code behind a row is
 * loaded by the first call, so the main thread routes requests by this table without it. Inputs and outputs are plain data,
 * so any thread can run an operation.
 */
export const OPERATIONS = {
  recommend: on("reader", async (deps) => (await import("./find-cells.js")).createRecommend(deps)),
  /** Like `recommend`, but as the bytes of a JSON document, which a thread can transfer without a copy. */
  recommendJson: on("reader", async (deps) => {
    const { createRecommend, toJson } = await import("./find-cells.js");
    const recommend = createRecommend(deps);
    return async (request: ExpectingRequest, signal?: AbortSignal): Promise<JsonAnswer> =>
      toJson(await recommend(request, signal));
  }),
  complete: on("completer", async (deps) => (await import("./complete.js")).createComplete(deps)),
  search: on("reader", async (deps) => (await import("./find-cells.js")).createSearch(deps)),
  findSimilar: on("reader", async (deps) => (await import("./similar.js")).createSimilar(deps).ask),
  /** Like `findSimilar`, but for a notebook that has already been read. */
  findSimilarTo: on("reader", async (deps) => (await import("./similar.js")).createSimilar(deps).find),
  /** Takes a request, or the bytes of a large one. */
  label: on("reader", async ({ labeller, runOnWorker }) => {
    const { answerLabels } = await import("./answer-labels.js");
    return (request: LabelRequest | Uint8Array, signal?: AbortSignal): Promise<LabelAnswer> =>
      request instanceof Uint8Array
        ? runOnWorker("label", request, { signal })
        : answerLabels(labeller, request, signal);
  }),
  upload: on("writer", async (deps) => (await import("./upload.js")).createUpload(deps)),
  listNotebooks: on("reader", async ({ store }) => {
    const { listNotebooks } = await contents();
    return (request: ListRequest) => listNotebooks(store, request);
  }),
  getNotebook: on("reader", async ({ store }) => {
    const { getNotebook } = await contents();
    return (id: string, signal?: AbortSignal) => getNotebook(store, id, signal);
  }),
  /** If secrets are masked or refused, Markdown is not shown, because only the code was checked. */
  getMarkdown: on("reader", async ({ store, config }) => {
    const { getMarkdown } = await contents();
    return async (id: string) => (config.secrets === "report" ? getMarkdown(store, id) : { cells: [] });
  }),
  findNotebooks: on("reader", async ({ store }) => {
    const { findNotebooks } = await contents();
    return (given: string) => findNotebooks(store, given);
  }),
  deleteNotebook: on("writer", async ({ store }) => {
    const { deleteNotebook } = await contents();
    return (id: string) => deleteNotebook(store, id);
  }),
  deleteNotebooks: on("writer", async ({ store }) => {
    const { deleteNotebooks } = await contents();
    return (names: readonly string[]) => deleteNotebooks(store, names);
  }),
  getCell: on("reader", async ({ store }) => {
    const { getCell } = await contents();
    return (id: string, page: OccurrencesRequest, signal?: AbortSignal) => getCell(store, id, page, signal);
  }),
  listSources: on("reader", async ({ store, config }) => {
    const { listSources } = await contents();
    return () => listSources(store, config.data);
  }),
  forgetSource: on("writer", async ({ store }) => {
    const { forgetSource } = await contents();
    return (given: string, signal?: AbortSignal) => forgetSource(store, given, signal);
  }),
  stats: on("probe", async (deps) => {
    const { readStats } = await contents();
    return () => readStats(deps);
  }),
  countLabels: on("reader", async (deps) => {
    const { countLabels } = await contents();
    return () => countLabels(deps);
  }),
  clear: on("writer", async ({ store }) => {
    return () => store.clear();
  }),
  ready: on("probe", async (deps) => createReady(deps)),
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
