import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { LabelAnswer } from "./answers.js";
import { createAsk } from "./ask.js";
import { coalesce } from "./coalesce.js";
import { createComplete } from "./complete.js";
import {
  countLabels,
  deleteNotebook,
  deleteNotebooks,
  findNotebooks,
  forgetSource,
  getCell,
  getNotebook,
  listNotebooks,
  listSources,
  readStats,
} from "./contents.js";
import type { AskDeps } from "./deps.js";
import { createFeedback } from "./feedback.js";
import { answerLabels } from "./label-cells.js";
import { createReady, type Readiness } from "./ready.js";
import type { AskRequest, LabelRequest, ListRequest, OccurrencesRequest, SearchRequest } from "./requests.js";
import { createSearch } from "./search.js";
import { createSimilar } from "./similar.js";
import { createUpload } from "./upload.js";

/** The work behind the use cases. Inputs and outputs are plain data, so that any thread can run it. */
export type Operations = ReturnType<typeof createOperations>;

export function createOperations(deps: AskDeps) {
  const { config, store, labeller } = deps;
  const similar = createSimilar(deps);
  return {
    recommend: createAsk(deps),
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

/** The use cases that REST, the command line and agents call. */
export type UseCases = ReturnType<typeof createUseCases>;

interface UseCasesDeps {
  readonly operations: Operations;
  /** The label set. */
  readonly labels: readonly string[];
  /** The embedder's id. */
  readonly embedder: string;
  readonly config: Pick<Config, "feedback" | "data">;
}

/** The use cases for one process. Only here are equal requests coalesced and answers remembered for feedback. */
export function createUseCases({ operations, labels, embedder, config }: UseCasesDeps) {
  const feedback = createFeedback({ isOn: config.feedback, folder: config.data, embedder });
  return {
    ...operations,
    labels,
    feedback,
    recommend: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await operations.recommend(request, signal);
      feedback.remember(answer);
      return answer;
    }),
    search: coalesce((request: SearchRequest, signal: AbortSignal) => operations.search(request, signal)),
    async ready(onProblem: (error: RecommenderError) => void = () => {}): Promise<Readiness> {
      const { checks, problems } = await operations.ready();
      for (const { code, message } of problems) onProblem(new RecommenderError(code, message));
      return checks;
    },
  };
}
