import { createAsk } from "./ask.js";
import { coalesce } from "./coalesce.js";
import type { AskDeps } from "./deps.js";
import { createFeedback } from "./feedback.js";
import { findNotebooks } from "./find-notebooks.js";
import { getCell } from "./get-cell.js";
import { answerLabels, type LabelAnswer } from "./label-cells.js";
import { deleteNotebook, deleteNotebooks, getNotebook, listNotebooks } from "./notebooks.js";
import { createReady } from "./ready.js";
import type { AskRequest, LabelRequest, ListRequest, OccurrencesRequest } from "./requests.js";
import { createSearch } from "./search.js";
import { createSimilar } from "./similar.js";
import { forgetSource, listSources } from "./sources.js";
import { countLabels, readStats } from "./stats.js";
import { createUpload } from "./upload.js";

/** Everything that can be asked, whoever translates it: REST, the command line, agents. */
export type UseCases = ReturnType<typeof createUseCases>;

export function createUseCases(deps: AskDeps) {
  const { config, store, labeller, embedder } = deps;
  const feedback = createFeedback({ isOn: config.feedback, folder: config.data, embedder: embedder.id });
  const ask = createAsk(deps);
  const similar = createSimilar(deps);
  return {
    /** The label set. */
    labels: labeller.labels,
    recommend: coalesce(async (request: AskRequest, signal: AbortSignal) => {
      const answer = await ask(request, signal);
      feedback.remember(answer);
      return answer;
    }),
    feedback,
    search: coalesce(createSearch(deps)),
    findSimilar: similar.ask,
    /** The same for a notebook that is read already. */
    findSimilarTo: similar.find,
    /** Takes a request, or the bytes of a large one. */
    label: (request: LabelRequest | Uint8Array, signal?: AbortSignal): Promise<LabelAnswer> =>
      request instanceof Uint8Array ? deps.away("label", request, signal) : answerLabels(labeller, request, signal),
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
