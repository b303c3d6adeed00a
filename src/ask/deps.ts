import type { Complete } from "../complete/completion-request.js";
import type { Config } from "../config.js";
import type { Embedder } from "../embed/embedder.js";
import type { Ingest } from "../ingest/ingest.js";
import type { Workers } from "../ingest/workers.js";
import type { Labeller } from "../label/labeller.js";
import type { Recommend } from "../recommend/recommend.js";
import type { VectorStore } from "../store/vector-store.js";
import type { CallThread } from "../threads/pool.js";
import type { Handlers } from "../threads/thread-protocol.js";
import { answerLabels } from "./answer-labels.js";
import type { LabelAnswer } from "./answers.js";
import { type InspectedFile, inspectUpload, type UploadedFile } from "./inspect-upload.js";
import { parseInput, parseJson } from "./parse-input.js";
import { labelRequest } from "./requests.js";

/** The parts that the use cases combine. */
export interface AskDeps {
  readonly config: Pick<Config, "preset" | "secrets" | "feedback" | "data">;
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  readonly recommend: Recommend;
  readonly complete: Complete;
  readonly workers: Pick<Workers, "make">;
  readonly runOnWorker: RunOnWorker;
}

/** Runs one of the tasks below, on another thread if there is one. */
export type RunOnWorker = CallThread<AskTasks>;

/** The parts of a request that run on another thread if they are large, so that other requests need not wait. */
export function createAskTasks({
  labeller,
  config,
}: {
  readonly labeller: Labeller;
  readonly config: Pick<Config, "secrets">;
}) {
  return {
    inspect: (file: UploadedFile): InspectedFile => inspectUpload(file, config.secrets),
    /** Answers a label request that is given as the bytes of its JSON. */
    label: (bytes: Uint8Array): Promise<LabelAnswer> =>
      answerLabels(labeller, parseInput(labelRequest, parseJson(bytes))),
  } satisfies Handlers;
}

export type AskTasks = ReturnType<typeof createAskTasks>;

/** Runs the tasks on the calling thread. */
export function runInline(tasks: AskTasks): RunOnWorker {
  return async (name, input) => (await tasks[name](input as never)) as never;
}
